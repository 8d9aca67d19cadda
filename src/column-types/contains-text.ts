/** Up to this product of lengths the engine's own search takes milliseconds at worst. */
const HARMLESS = 50_000_000;

/** Whether a text contains another, in time linear in both: the engine's search takes quadratic time for some. */
export function containsText(text: string, needle: string): boolean {
  if (text.length * needle.length <= HARMLESS) return text.includes(needle);
  if (needle.length > text.length) return false;
  const borders = bordersOf(needle);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && needle.charCodeAt(matched) !== code) matched = borders[matched - 1]!;
    if (needle.charCodeAt(matched) === code && ++matched === needle.length) return true;
  }
  return false;
}

/** For each prefix, the length of the longest shorter prefix that it ends with. */
function bordersOf(needle: string): Int32Array {
  const borders = new Int32Array(needle.length);
  for (let at = 1, length = 0; at < needle.length; at++) {
    while (length > 0 && needle.charCodeAt(at) !== needle.charCodeAt(length)) length = borders[length - 1]!;
    if (needle.charCodeAt(at) === needle.charCodeAt(length)) length++;
    borders[at] = length;
  }
  return borders;
}
