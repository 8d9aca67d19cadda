/**
 * Texts are stored and shown as they were sent, and compared without regard to how their letters are encoded. What is
 * done here is done in the database by the function `comparable_text`.
 */

const NON_ASCII = /[^\0-\x7f]/;

export const isAscii = (text: string): boolean => !NON_ASCII.test(text);

/**
 * One form for composed and decomposed letters, those of half and full width, ligatures and presentation forms, and for
 * letters that only letter case makes differ in more than that. Letter case itself stays.
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

/** How a text may be stored whose equal is looked for in an index of texts as they were sent. */
export function spellingsOf(text: string): string[] {
  return isAscii(text) ? [text] : [...new Set([text, text.normalize('NFC'), text.normalize('NFD')])];
}

/** One form for composed and decomposed letters; everything else stays. */
export const composed = (text: string): string => (isAscii(text) ? text : text.normalize('NFC'));

/** Whether two texts are the same to whoever reads them. */
export function isSameName(a: string, b: string): boolean {
  return a === b || (!isAscii(a) && composed(a) === composed(b));
}
