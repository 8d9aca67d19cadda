import { ApiProperty } from '@nestjs/swagger';
import { CallSumsBody, toCallSums } from '../../rollups/index.js';
import { OriginChoiceField, originsOf } from '../../llm/records/origin-fields.js';
import { SuccessField } from '../../platform/http/common-fields.js';
import { BooleanField, DateTimeField, IntegerField, TextField } from '../../platform/http/fields.js';
import { LimitField, listEnvelope, ListEnvelope } from '../../platform/http/list.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { isoFromNanoseconds } from '../../platform/time.js';
import { MOST_COUNTED } from '../sessions/session-rows.js';
import type { EndUser, EndUsersAsked, OneEndUser } from './end-users.service.js';
import { DaysField, SinceField } from '../../platform/http/look-back.js';

const LONGEST_ID = 2000;

@Closed()
export class ListEndUsersQuery {
  @LimitField(20)
  limit?: number;

  @DaysField()
  days?: number;

  @OriginChoiceField('calls')
  origin?: string;
}

export class EndUserPath {
  @TextField({
    query: true,
    minLength: 1,
    maxLength: LONGEST_ID,
    description: 'The `user_id` of a request or a trace. Any text, percent-encoded.',
  })
  end_user_id: string;
}

export class EndUserBody extends CallSumsBody {
  @TextField({ description: 'The id of the user, as senders gave it.', example: 'ada' })
  user_id: string;
}

export class EndUsersResponse extends ListEnvelope {
  @SinceField()
  since: string | null;

  @ApiProperty({ type: () => [EndUserBody], description: 'The users with the most calls first.' })
  data: EndUserBody[];
}

class OneEndUserBody extends EndUserBody {
  @IntegerField({
    description: `The number of sessions that the newest ${MOST_COUNTED} traces of the user in sessions belong to.`,
  })
  session_count: number;

  @DateTimeField({
    nullable: true,
    description: 'The start of the newest trace of the user in a session; null without one.',
  })
  last_session_time: string | null;
}

export class EndUserResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => OneEndUserBody, description: 'The user.' })
  user: OneEndUserBody;

  @BooleanField({
    description: 'True when so many traces have just changed that some are not read yet: ask again in a moment.',
  })
  partial: boolean;
}

export const toEndUsersAsked = ({ limit = 20, days, origin }: ListEndUsersQuery): EndUsersAsked => ({
  limit,
  days: days ?? null,
  origins: originsOf(origin),
});

export function toEndUsersResponse(
  { limit = 20, ...filters }: ListEndUsersQuery,
  { since, users }: { since: Date | null; users: EndUser[] },
): EndUsersResponse {
  const envelope = listEnvelope({ count: users.length, limit, nextCursor: null, filters });
  return { ...envelope, since: since?.toISOString() ?? null, data: users.map(toEndUserBody) };
}

export function toEndUserResponse(user: OneEndUser): EndUserResponse {
  const { session_count, last_ns: last } = user;
  return {
    success: true,
    user: {
      ...toEndUserBody(user),
      session_count,
      last_session_time: last === null ? null : isoFromNanoseconds(last),
    },
    partial: user.isPartial,
  };
}

function toEndUserBody({ id, calls }: EndUser): EndUserBody {
  return { user_id: id, ...toCallSums(calls) };
}
