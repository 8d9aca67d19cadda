/** The statements of what a client of pg is asked: `sendTogether` submits several as one. */
export function textsOf(query: unknown): string[] {
  if (typeof query === 'string') return [query];
  const { text, steps = [] } = query as { text?: string; steps?: { text: string }[] };
  return [...(text === undefined ? [] : [text]), ...steps.map((step) => step.text)];
}
