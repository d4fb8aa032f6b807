// Which language and direction a text is marked with, so that fonts, hyphens and voices are right.

const SCRIPTS = [
  ["ja", /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ["ko", /\p{Script=Hangul}/gu],
  ["zh", /\p{Script=Han}/gu],
  ["ar", /\p{Script=Arabic}/gu],
  ["he", /\p{Script=Hebrew}/gu],
  ["th", /\p{Script=Thai}/gu],
  ["el", /\p{Script=Greek}/gu],
  ["hi", /\p{Script=Devanagari}/gu],
];
const LOOKED_AT = 2000;

/** Return a code where the script gives the language away; undefined: it does not. */
export function languageOf(text) {
  const sample = (text ?? "").slice(0, LOOKED_AT);
  const letters = (sample.match(/\p{L}/gu) ?? []).length;
  if (!letters) return undefined;
  for (const [code, pattern] of SCRIPTS) {
    const share = (sample.match(pattern) ?? []).length / letters;
    if (share > (code === "ja" ? 0.05 : 0.3)) return code;
  }
  return undefined;
}

/** Return the attributes of an element that holds somebody's text. */
export function speaks(text) {
  const lang = languageOf(text);
  return lang ? { lang, dir: "auto" } : { dir: "auto" };
}
