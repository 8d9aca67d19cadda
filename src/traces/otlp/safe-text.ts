/** A JSON text that may, once parsed, hold NUL or a lone surrogate: both can only come in as escapes. */
const UNSAFE_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

/** Whether strings parsed from this JSON text need a {@link TextCleaner}. May be true for harmless text, never false for unsafe text. */
export function mayHoldUnsafeText(json: string): boolean {
  return json.includes('\\u') && UNSAFE_ESCAPE.test(json);
}

/** The text as PostgreSQL can store it: NUL and lone surrogates become U+FFFD. */
export function cleanText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\uFFFD') : wellFormed;
}

/** Cleans texts and remembers whether any of them had to be changed. */
export class TextCleaner {
  changed = false;

  clean(text: string): string {
    if (text.isWellFormed() && !text.includes('\0')) return text;
    this.changed = true;
    return cleanText(text);
  }

  /** Whether something was changed since the last call; starts anew. */
  takeChanged(): boolean {
    const changed = this.changed;
    this.changed = false;
    return changed;
  }
}

/** For bodies that were found to hold no unsafe text: costs nothing per string. */
export class TrustingCleaner extends TextCleaner {
  override clean(text: string): string {
    return text;
  }
}
