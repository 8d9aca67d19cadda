import { isSafe, safeText } from '../../platform/safe-text.js';

/** Makes texts storable and remembers whether any of them had to be changed. */
export class TextCleaner {
  private changed = false;

  clean(text: string): string {
    if (isSafe(text)) return text;
    this.changed = true;
    return safeText(text);
  }

  /** Whether something was changed since the last call. Resets the flag. */
  takeChanged(): boolean {
    const { changed } = this;
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
