import { ApiProperty } from '@nestjs/swagger';
import { DateTimeField, IntegerField, ListField, NumberField, TextField } from '../../platform/http/fields.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../../platform/http/list.js';
import { BucketSums } from '../../platform/rollups/histogram-buckets.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import type { MeasuredVersion } from './prompt-versions.service.js';

@Closed()
export class ListVersionsQuery extends CursorQuery {
  @LimitField(20)
  limit?: number;

  @OrderField('desc')
  order?: Order;
}

class PromptVersionScoreBody {
  @TextField({ example: 'default' })
  name: string;

  @IntegerField({ description: 'How many calls have this score.' })
  count: number;

  @NumberField({ description: 'The mean, from 0 to 100.' })
  average: number;
}

class VersionCallsBody {
  @IntegerField()
  count: number;

  @IntegerField()
  failed: number;

  @IntegerField({ description: 'How many calls have no price. They are not in `cost`.' })
  unpriced: number;

  @NumberField({ description: 'US dollars.' })
  cost: number;

  @IntegerField()
  input_tokens: number;

  @IntegerField()
  output_tokens: number;

  @NumberField({ nullable: true, description: 'The median in milliseconds, at most 2 % off; null without calls.' })
  latency_p50_ms: number | null;

  @NumberField({ nullable: true, description: 'The 95th percentile in milliseconds, at most 2 % off.' })
  latency_p95_ms: number | null;

  @ApiProperty({
    type: () => [PromptVersionScoreBody],
    nullable: true,
    description: 'By name; null when there are too many calls to look through their scores.',
  })
  scores: PromptVersionScoreBody[] | null;
}

class ListedVersionBody {
  @IntegerField()
  version: number;

  @IntegerField()
  prompt_version_id: number;

  @DateTimeField({ description: 'When the version was published.' })
  created_at: string;

  @IntegerField({ nullable: true, description: 'The API key that published it.' })
  created_by: number | null;

  @TextField({ nullable: true })
  commit_message: string | null;

  @TextField({ nullable: true, example: 'openai' })
  provider: string | null;

  @TextField({ nullable: true, example: 'gpt-4o-mini' })
  model: string | null;

  @ListField('string', { description: 'The release labels that point to it.' })
  release_labels: string[];

  @ApiProperty({ type: () => VersionCallsBody, description: 'What the calls of the version add up to.' })
  calls: VersionCallsBody;
}

export class PromptVersionsResponse extends ListEnvelope {
  @ApiProperty({ type: () => [ListedVersionBody] })
  data: ListedVersionBody[];
}

export function toListedVersionBody({ version, calls = new BucketSums(), scores }: MeasuredVersion): ListedVersionBody {
  const { count, failed, unpriced, cost, inputTokens, outputTokens, p50, p95 } = calls.toNumbers();
  return {
    version: version.number,
    prompt_version_id: version.id,
    created_at: version.createdAt.toISOString(),
    created_by: version.createdBy,
    commit_message: version.commitMessage,
    provider: version.provider,
    model: version.model,
    release_labels: version.labels,
    calls: {
      count,
      failed,
      unpriced,
      cost,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      latency_p50_ms: p50,
      latency_p95_ms: p95,
      scores,
    },
  };
}
