import { ApiProperty } from '@nestjs/swagger';
import { CommitMessageField, InputTokensField, OutputTokensField } from '../../platform/http/common-fields.js';
import { type Origin, ORIGINS } from '../../llm/records/origin.js';
import {
  DateTimeField,
  EnumField,
  IntegerField,
  ListField,
  NumberField,
  TextField,
} from '../../platform/http/fields.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../../platform/http/list.js';
import { BucketSums } from '../../rollups/index.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import type { MeasuredVersion } from './prompt-versions.service.js';

@Closed()
export class ListVersionsQuery extends CursorQuery {
  @LimitField(20)
  limit?: number;

  @OrderField('desc')
  order?: Order;

  @EnumField(ORIGINS, {
    optional: true,
    query: true,
    description: 'Only calls of this origin are counted, such as `application`. By default all are.',
    example: 'application',
  })
  origin?: Origin;
}

class PromptVersionScoreBody {
  @TextField({ description: 'The name of the score.', example: 'default' })
  name: string;

  @IntegerField({ description: 'The number of calls with this score.' })
  count: number;

  @NumberField({ description: 'The mean of the score, from 0 to 100.' })
  average: number;
}

class VersionCallsBody {
  @IntegerField({ description: 'How many request logs name the version.' })
  count: number;

  @IntegerField({ description: 'How many of them have the status ERROR.' })
  failed: number;

  @IntegerField({ description: 'The number of calls without a price. They are not part of `cost`.' })
  unpriced: number;

  @NumberField({ description: 'The cost in US dollars.' })
  cost: number;

  @InputTokensField()
  input_tokens: number;

  @OutputTokensField()
  output_tokens: number;

  @NumberField({
    nullable: true,
    description: 'The median latency in milliseconds, at most 2 % off; null if there are no calls.',
  })
  latency_p50_ms: number | null;

  @NumberField({
    nullable: true,
    description: 'The 95th percentile of the latency in milliseconds, at most 2 % off; null if there are no calls.',
  })
  latency_p95_ms: number | null;

  @ApiProperty({
    type: () => [PromptVersionScoreBody],
    nullable: true,
    description: 'The scores of the calls, by name; null if there are too many calls to read their scores.',
  })
  scores: PromptVersionScoreBody[] | null;
}

class ListedVersionBody {
  @IntegerField({ description: 'The number of the version, from 1.' })
  version: number;

  @IntegerField({ description: 'The id of the version, which is unique among the versions of all prompts.' })
  prompt_version_id: number;

  @DateTimeField({ description: 'When the version was published.' })
  created_at: string;

  @IntegerField({
    nullable: true,
    description: 'The API key that published the version; null if it was published without one.',
  })
  created_by: number | null;

  @CommitMessageField()
  commit_message: string | null;

  @TextField({
    nullable: true,
    description: 'The provider of the model that the version is meant for; null when it names none.',
    example: 'openai',
  })
  provider: string | null;

  @TextField({
    nullable: true,
    description: 'The model that the version is meant for; null when it names none.',
    example: 'gpt-4o-mini',
  })
  model: string | null;

  @ListField('string', { description: 'The release labels that point to the version.' })
  release_labels: string[];

  @ApiProperty({ type: () => VersionCallsBody, description: 'Statistics of the request logs that name the version.' })
  calls: VersionCallsBody;
}

export class PromptVersionsResponse extends ListEnvelope {
  @ApiProperty({
    type: () => [ListedVersionBody],
    description: 'The versions of the page, newest first unless `order` is `asc`.',
  })
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
