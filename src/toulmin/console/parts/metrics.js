// The figures of /metrics, in Prometheus' text format.

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Return {name: [{labels, value}]}. */
export function metricsOf(page) {
  const found = {};
  for (const line of page.split("\n")) {
    if (line.startsWith("#")) continue;
    const match = LINE.exec(line);
    if (!match) continue;
    const labels = {};
    for (const [, name, value] of (match[2] ?? "").matchAll(LABEL)) labels[name] = value;
    (found[match[1]] ??= []).push({ labels, value: Number(match[3].replace("+Inf", "Infinity")) });
  }
  return found;
}

export function sumOf(metrics, name) {
  return (metrics[name] ?? []).reduce((sum, one) => sum + one.value, 0);
}

/** Return the upper bound of the bucket that a quantile lies in: what a histogram can honestly say. */
export function quantile(metrics, name, labels, share) {
  const same = (one) => Object.entries(labels).every(([key, value]) => one.labels[key] === value);
  const buckets = (metrics[`${name}_bucket`] ?? []).filter(same)
    .map((one) => ({ bound: Number(one.labels.le.replace("+Inf", "Infinity")), count: one.value }))
    .sort((a, b) => a.bound - b.bound);
  const total = buckets.at(-1)?.count ?? 0;
  return total ? buckets.find((one) => one.count >= share * total).bound : undefined;
}
