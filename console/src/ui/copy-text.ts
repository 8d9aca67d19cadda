/** Writes a text to the clipboard. Throws when the browser refuses. */
export async function copyText(text: string): Promise<void> {
  try {
    // Missing on pages on plain HTTP.
    await navigator.clipboard.writeText(text);
  } catch {
    if (!copyByCommand(text)) throw new Error('Could not be copied: select the text and copy it.');
  }
}

function copyByCommand(text: string): boolean {
  const fill = (event: ClipboardEvent) => {
    event.clipboardData!.setData('text/plain', text);
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  document.addEventListener('copy', fill, true);
  try {
    return document.execCommand('copy');
  } finally {
    document.removeEventListener('copy', fill, true);
  }
}
