// Figures of labelled scores, as `toulmin evaluate` defines them (docs/evaluate.md).

const BINS = 10;

/** Return balanced accuracy, false passes and false strips at a threshold. */
export function atThreshold(rows, threshold) {
  const good = rows.filter((row) => row.label);
  const bad = rows.filter((row) => !row.label);
  const passed = (list) => list.filter((row) => row.score >= threshold).length;
  const stripped = good.length ? 1 - passed(good) / good.length : undefined;
  const falsePass = bad.length ? passed(bad) / bad.length : undefined;
  return {
    balanced: good.length && bad.length ? (1 - stripped + 1 - falsePass) / 2 : undefined, stripped, falsePass,
  };
}

/** Return how often a supported row scores above an unsupported one; ties count half. */
export function auroc(rows) {
  const sorted = [...rows].sort((a, b) => a.score - b.score);
  let ranks = 0;
  let positives = 0;
  for (let from = 0; from < sorted.length;) {
    let to = from;
    while (to < sorted.length && sorted[to].score === sorted[from].score) to += 1;
    const rank = (from + 1 + to) / 2;
    for (let i = from; i < to; i += 1) if (sorted[i].label) { ranks += rank; positives += 1; }
    from = to;
  }
  const negatives = sorted.length - positives;
  if (!positives || !negatives) return undefined;
  return (ranks - (positives * (positives + 1)) / 2) / (positives * negatives);
}

/** Return the bins of a reliability curve that hold a row: {mean, share, count}. */
export function reliability(rows) {
  const bins = Array.from({ length: BINS }, () => ({ sum: 0, good: 0, count: 0 }));
  for (const row of rows) {
    const bin = bins[Math.min(BINS - 1, Math.floor(row.score * BINS))];
    bin.sum += row.score;
    bin.good += row.label ? 1 : 0;
    bin.count += 1;
  }
  return bins.filter((bin) => bin.count).map((bin) => ({ mean: bin.sum / bin.count, share: bin.good / bin.count, count: bin.count }));
}

export function calibrationError(rows) {
  if (!rows.length) return undefined;
  return reliability(rows).reduce((sum, bin) => sum + (bin.count / rows.length) * Math.abs(bin.mean - bin.share), 0);
}

export function brier(rows) {
  if (!rows.length) return undefined;
  return rows.reduce((sum, row) => sum + (row.score - (row.label ? 1 : 0)) ** 2, 0) / rows.length;
}

/** Return [threshold, balanced accuracy] from 0.01 to 0.99, and the best. */
export function sweep(rows) {
  const points = [];
  for (let i = 1; i < 100; i += 1) points.push([i / 100, atThreshold(rows, i / 100).balanced]);
  const known = points.filter(([, value]) => value !== undefined);
  return { points: known, best: known.reduce((a, b) => (b[1] > a[1] ? b : a), [0.5, -1]) };
}
