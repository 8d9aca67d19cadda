/** Whether a text has Jinja tags and needs the engine. */
export function hasTags(text: string): boolean {
  return /\{[{%#]/.test(text);
}

/** Does what the engine does with a text without tags: newlines become "\n", and one at the end is dropped. */
export function renderWithoutTags(text: string): string {
  const normalized = text.replace(/\r\n?/g, '\n');
  return normalized.endsWith('\n') ? normalized.slice(0, -1) : normalized;
}

/** Schemas are JSON, which may contain `{#`. Only expressions and statements make a text a template. */
export function isSchemaTemplate(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}
