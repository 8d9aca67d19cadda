import { ApiProperty } from '@nestjs/swagger';
import { CallSumsBody, toCallSums } from '../../rollups/index.js';
import { OriginChoiceField, originsOf } from '../../llm/records/origin-fields.js';
import { EnumField } from '../../platform/http/fields.js';
import { LimitField, listEnvelope, ListEnvelope } from '../../platform/http/list.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { GroupLabelField, GroupValueField } from '../shared/call-fields.js';
import type { BreakdownAsked, FoundGroup } from './breakdown.service.js';
import { BREAKDOWN_KINDS, type BreakdownKind } from './group-facets.js';
import { DaysField, SinceField } from '../../platform/http/look-back.js';

@Closed()
export class BreakdownQuery {
  @EnumField(BREAKDOWN_KINDS, {
    optional: true,
    query: true,
    default: 'model',
    description:
      'By what request logs are grouped. A log with several tags is in several groups; `prompt_version` groups by prompt and version.',
    example: 'model',
  })
  by?: BreakdownKind;

  @DaysField()
  days?: number;

  @LimitField(20)
  limit?: number;

  @OriginChoiceField('calls')
  origin?: string;
}

export class BreakdownGroupBody extends CallSumsBody {
  @GroupValueField()
  value: string;

  @GroupLabelField()
  label: string;
}

export class BreakdownResponse extends ListEnvelope {
  @SinceField()
  since: string | null;

  @ApiProperty({ type: () => [BreakdownGroupBody], description: 'The groups with the most calls first.' })
  data: BreakdownGroupBody[];
}

export const toBreakdownAsked = ({ by = 'model', days, limit = 20, origin }: BreakdownQuery): BreakdownAsked => ({
  by,
  days: days ?? null,
  limit,
  origins: originsOf(origin),
});

export function toBreakdownResponse(
  { limit = 20, ...filters }: BreakdownQuery,
  { since, groups }: { since: Date | null; groups: FoundGroup[] },
): BreakdownResponse {
  const envelope = listEnvelope({ count: groups.length, limit, nextCursor: null, filters });
  return { ...envelope, since: since?.toISOString() ?? null, data: groups.map(toGroupBody) };
}

function toGroupBody({ value, label, calls }: FoundGroup): BreakdownGroupBody {
  return { value, label, ...toCallSums(calls) };
}
