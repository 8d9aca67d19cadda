/** In the words of several vendors, which differ in how they put words together too. */
const CUT_SHORT = new Set([
  'length',
  'max_tokens',
  'max_output_tokens',
  'content_filter',
  'content_filtered',
  'guardrail_intervened',
  'safety',
]);

/** Whether a model gave this reason for stopping before it was done. */
export function isCutShort(finishReason: string): boolean {
  return CUT_SHORT.has(finishReason.toLowerCase().replaceAll('-', '_'));
}
