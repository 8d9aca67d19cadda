/** Statements in a query of a client of pg: `sendTogether` submits several as one. */
export function textsOf(query: unknown): string[] {
  if (typeof query === 'string') return [query];
  const { text, steps = [] } = query as { text?: string; steps?: { text: string }[] };
  return [...(text === undefined ? [] : [text]), ...steps.map((step) => step.text)];
}
