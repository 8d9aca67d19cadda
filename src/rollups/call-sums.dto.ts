import { InputTokensField, OutputTokensField } from '../platform/http/common-fields.js';
import { IntegerField, NumberField } from '../platform/http/fields.js';
import type { BucketSums } from './histogram-buckets.js';

/** Tokens and latencies of calls that were added up. */
export class TokensAndLatenciesBody {
  @InputTokensField()
  input_tokens: number;

  @OutputTokensField()
  output_tokens: number;

  @NumberField({
    nullable: true,
    description: 'The median latency in milliseconds, at most 2 % off; null when none is known.',
  })
  latency_p50_ms: number | null;

  @NumberField({
    nullable: true,
    description: 'The 95th percentile of the latency in milliseconds, at most 2 % off; null if none is known.',
  })
  latency_p95_ms: number | null;
}

/** The sums of a group of calls, such as those of a user or of a model. */
export class CallSumsBody extends TokensAndLatenciesBody {
  @IntegerField({ description: 'The number of request logs of the group.' })
  request_count: number;

  @IntegerField({ description: 'How many of them have the status ERROR.' })
  error_count: number;

  @IntegerField({ description: 'The number of calls without a known price.' })
  unpriced_request_count: number;

  @NumberField({ description: 'The cost in US dollars, as far as it is known.' })
  total_cost_usd: number;
}

export function toCallSums(calls: BucketSums): CallSumsBody {
  const { count, failed, unpriced, cost, inputTokens, outputTokens, p50, p95 } = calls.toNumbers();
  return {
    request_count: count,
    error_count: failed,
    unpriced_request_count: unpriced,
    total_cost_usd: cost,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    latency_p50_ms: p50,
    latency_p95_ms: p95,
  };
}
