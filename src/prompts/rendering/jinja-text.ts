/** Whether a text says anything in the language of templates, so that the engine is needed for it. */
export function hasTags(text: string): boolean {
  return /\{[{%#]/.test(text);
}

/** What the engine makes of a text without tags: newlines become "\n", one at the end is dropped. */
export function renderWithoutTags(text: string): string {
  const normalized = text.replace(/\r\n?/g, '\n');
  return normalized.endsWith('\n') ? normalized.slice(0, -1) : normalized;
}

/** Schemas are JSON, where `{#` is nothing special: only values and statements make a template of a text. */
export function isSchemaTemplate(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}
