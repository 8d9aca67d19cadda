/**
 * Texts are stored and shown as they were sent. They are compared without regard to the encoding of their letters. The
 * database function `comparable_text` does the same as this file.
 */

const NON_ASCII = /[^\0-\x7f]/;

export const isAscii = (text: string): boolean => !NON_ASCII.test(text);

/**
 * One form for composed and decomposed letters, half and full width, ligatures and presentation forms, and for letters
 * that a change of case alone does not make equal, such as "ß" and "SS". Otherwise letter case stays.
 */
export function comparableText(text: string): string {
  if (isAscii(text)) return text;
  return text
    .normalize('NFKC')
    .replaceAll(/[ẞß]/g, 'ss')
    .replaceAll('ς', 'σ')
    .replaceAll(/İ|i\u0307/g, 'i')
    .normalize('NFC');
}

/** Spellings under which an equal text may be stored in an index of texts as they were sent. */
export function spellingsOf(text: string): string[] {
  return isAscii(text) ? [text] : [...new Set([text, text.normalize('NFC'), text.normalize('NFD')])];
}

/** One form for composed and decomposed letters. All other characters stay. */
export const composed = (text: string): string => (isAscii(text) ? text : text.normalize('NFC'));

/** Whether two texts look the same to a reader. */
export function isSameName(a: string, b: string): boolean {
  return a === b || (!isAscii(a) && composed(a) === composed(b));
}
