// The API counts UTF-8 bytes, JavaScript counts UTF-16 units. This is the only place that knows.

/** Return a function from a byte offset of `text` to its index in the string. */
export function indexOfByte(text) {
  // eslint-disable-next-line no-control-regex
  if (/^[\x00-\x7f]*$/.test(text)) return (byte) => Math.min(Math.max(Number(byte) || 0, 0), text.length);
  const marks = [0]; // marks[b]: index of the character that byte b belongs to, or that it ends
  let index = 0;
  for (const character of text) {
    const width = bytesOf(character.codePointAt(0));
    for (let i = 1; i < width; i += 1) marks.push(index);
    index += character.length;
    marks.push(index);
  }
  return (byte) => marks[Math.min(Math.max(Number(byte) || 0, 0), marks.length - 1)];
}

function bytesOf(codePoint) {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

/** Return the length of `text` in UTF-8 bytes. */
export function byteLength(text) {
  let total = 0;
  for (const character of text) total += bytesOf(character.codePointAt(0));
  return total;
}
