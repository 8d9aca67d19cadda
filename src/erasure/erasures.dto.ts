import { ApiProperty } from '@nestjs/swagger';
import { WorkspacePath } from '../access/index.js';
import { SuccessField } from '../platform/http/common-fields.js';
import { ValidationProblem } from '../platform/errors/problem.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  JsonObjectField,
  TextField,
  UuidField,
} from '../platform/http/fields.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../platform/http/list.js';
import { field } from '../platform/http/field.js';
import { Closed } from '../platform/http/validation.pipe.js';
import * as is from 'class-validator';
import { type Counts, type Erasure, ERASURE_STATUSES, type ErasureStatus } from './erasure.entity.js';
import { progressOf } from './erasure-progress.js';
import { type Subject, SUBJECT_TYPES, type SubjectType, subjectOf } from './person-marks.js';

const LONGEST = 1024;

export class ErasurePath extends WorkspacePath {
  @UuidField({ query: true, description: 'The id of the erasure, which the request that began it answered.' })
  erasure_id: string;
}

@Closed()
export class ListErasuresQuery extends CursorQuery {
  @LimitField(20)
  limit?: number;

  @OrderField('desc')
  order?: Order;
}

class MetadataPair {
  @TextField({
    minLength: 1,
    maxLength: LONGEST,
    description: 'The key in the metadata, exactly as it was sent.',
    example: 'customer',
  })
  key: string;

  @TextField({
    minLength: 1,
    maxLength: LONGEST,
    description: 'The value of that key, exactly as the metadata of logs shows it.',
    example: 'acme-17',
  })
  value: string;
}

/** One object of a class of fields. */
const PairField = (description: string): PropertyDecorator =>
  field(
    { optional: true, description },
    {
      validators: [
        is.IsObject({ message: 'Input should be a valid dictionary', context: { type: 'dict_type' } }),
        is.ValidateNested(),
      ],
      schema: { type: () => MetadataPair },
      nested: () => MetadataPair,
    },
  );

/** Exactly one of `user_id`, `session_id` and `metadata`. */
@Closed()
export class CreateErasureRequest {
  @TextField({
    optional: true,
    minLength: 1,
    maxLength: LONGEST,
    description: 'The user: the `user_id` by which traces and logs are found.',
    example: 'user-4711',
  })
  user_id?: string;

  @TextField({
    optional: true,
    minLength: 1,
    maxLength: LONGEST,
    description: 'The session: the `conversation_id` by which traces and logs are found.',
  })
  session_id?: string;

  @PairField('A pair of the metadata of traces and logs.')
  metadata?: MetadataPair;

  @BooleanField({
    optional: true,
    default: false,
    description: 'Whether to only count what would be deleted.',
    example: true,
  })
  dry_run?: boolean;
}

export class ErasureBody {
  @UuidField({ description: 'The id of the erasure.' })
  id: string;

  @EnumField(SUBJECT_TYPES, {
    description: 'Whether a user, a session or a metadata pair was erased. The value itself is not kept.',
  })
  subject_type: SubjectType;

  @BooleanField({ description: 'True when it only counts and deletes nothing.' })
  dry_run: boolean;

  @EnumField(ERASURE_STATUSES, {
    description:
      '`queued` and `running` while it is under way; `completed` when everything was deleted; `failed` when it gave up, see `error_message`.',
  })
  status: ErasureStatus;

  @IntegerField({ description: 'Percent done.' })
  progress: number;

  @TextField({ nullable: true, description: 'The current step; null unless `status` is `running`.' })
  step: string | null;

  @JsonObjectField({
    values: { type: 'integer' },
    description: 'The number of things deleted (or to delete) by kind. Kinds with a count of 0 are missing.',
    example: { traces: 12, spans: 80, request_logs: 31, rows: 4 },
  })
  counts: Counts;

  @TextField({ nullable: true, description: 'Why it failed; null unless `status` is `failed`.' })
  error_message: string | null;

  @IntegerField({ nullable: true, description: 'The API key that requested the erasure; null for the operator.' })
  created_by: number | null;

  @DateTimeField({ description: 'When it was asked for.' })
  created_at: string;

  @DateTimeField({ nullable: true, description: 'When it completed or failed; null before that.' })
  finished_at: string | null;

  @DateTimeField({ nullable: true, description: 'When a final search found nothing left; null until then.' })
  verified_at: string | null;
}

export class ErasureResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => ErasureBody, description: 'The erasure with its progress.' })
  erasure: ErasureBody;
}

export class ErasuresResponse extends ListEnvelope {
  @ApiProperty({
    type: () => [ErasureBody],
    description: 'The erasures of the page, newest first unless `order` is `asc`.',
  })
  data: ErasureBody[];
}

/** Throws a 422 unless exactly one is given. */
export function toSubject({ user_id: user, session_id: session, metadata }: CreateErasureRequest): Subject {
  const given = [
    ...(user === undefined ? [] : [subjectOf('user_id', user)]),
    ...(session === undefined ? [] : [subjectOf('session_id', session)]),
    ...(metadata === undefined ? [] : [subjectOf('metadata', metadata.value, metadata.key)]),
  ];
  if (given.length === 1) return given[0]!;
  const msg = 'Give exactly one of user_id, session_id and metadata';
  throw new ValidationProblem([{ loc: ['body'], msg, type: 'value_error' }]);
}

export function toErasureBody(erasure: Erasure): ErasureBody {
  const { id, subjectType, dryRun, status, counts, errorMessage, createdBy, createdAt } = erasure;
  return {
    id,
    subject_type: subjectType,
    dry_run: dryRun,
    status,
    progress: progressOf(erasure),
    step: status === 'running' ? erasure.step : null,
    counts,
    error_message: errorMessage,
    created_by: createdBy,
    created_at: createdAt.toISOString(),
    finished_at: erasure.finishedAt?.toISOString() ?? null,
    verified_at: erasure.verifiedAt?.toISOString() ?? null,
  };
}
