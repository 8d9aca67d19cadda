/**
 * How an answer ended.
 *
 * `cut`: it stopped before it was complete. `withheld`: the model or its vendor refused it. `failed`: there is no
 * answer, whatever the HTTP status.
 */
export interface AnswerEnd {
  kind: 'whole' | 'cut' | 'withheld' | 'failed';
  /** In the vendor's words: a code, or a sentence. Empty for a whole answer. */
  reason: string;
  /** The status of HTTP that an error inside an answer names; null for none. */
  status: number | null;
}

const WHOLE: AnswerEnd = { kind: 'whole', reason: '', status: null };

/**
 * `broken` means that generation went wrong: text until then is a part of an answer, and no text is a failure.
 * `unclear` may mean anything: only an answer without text is a failure.
 */
type Reason = 'cut' | 'withheld' | 'broken' | 'unclear' | 'failed';

/** The words of all vendors for an answer that is not whole, in lower case. Any other word means a whole answer. */
const REASONS: Record<Reason, string[]> = {
  cut: [
    'length',
    'max_tokens',
    'max_output_tokens',
    'max_completion_tokens',
    'model_length',
    'model_context_window_exceeded',
    'error_limit',
  ],
  withheld: [
    'refusal',
    'content_filter',
    'content_filtered',
    'guardrail_intervened',
    'safety',
    'recitation',
    'blocklist',
    'prohibited_content',
    'spii',
    'language',
    'model_armor',
    'image_safety',
    'image_prohibited_content',
    'image_recitation',
    'error_toxic',
  ],
  broken: [
    'malformed_function_call',
    'malformed_response',
    'malformed_model_output',
    'malformed_tool_use',
    'unexpected_tool_call',
    'too_many_tool_calls',
    'missing_thought_signature',
    'no_image',
    'image_other',
    'timeout',
    'user_cancel',
    'cancelled',
  ],
  unclear: ['other', 'unknown', 'finish_reason_unspecified'],
  failed: ['error', 'failed'],
};

const REASON_OF = new Map<string, Reason>(
  Object.entries(REASONS).flatMap(([reason, words]) => words.map((word) => [word, reason as Reason] as const)),
);
/** The worst reason of several choices counts. */
const BY_WEIGHT: Reason[] = ['failed', 'broken', 'withheld', 'cut', 'unclear'];

/**
 * How an answer ended whose choices stopped for these reasons, in the words of any vendor.
 *
 * @param isSilent whether it has no content at all; false also when unknown
 */
export function endOf(reasons: string[], isSilent: boolean): AnswerEnd {
  const known = reasons.map((word) => ({ word, reason: REASON_OF.get(word.toLowerCase().replaceAll('-', '_')) }));
  const worst = BY_WEIGHT.find((weight) => known.some(({ reason }) => reason === weight));
  if (!worst || (worst === 'unclear' && !isSilent)) return WHOLE;
  const { word } = known.find(({ reason }) => reason === worst)!;
  return { kind: kindOf(worst, isSilent), reason: word, status: null };
}

function kindOf(reason: Reason, isSilent: boolean): AnswerEnd['kind'] {
  if (reason === 'broken' || reason === 'unclear') return isSilent ? 'failed' : 'cut';
  return reason;
}
