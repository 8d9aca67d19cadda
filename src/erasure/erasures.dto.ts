import { ApiProperty } from '@nestjs/swagger';
import { WorkspacePath } from '../access/index.js';
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
  @UuidField({ query: true })
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
  @TextField({ minLength: 1, maxLength: LONGEST, example: 'customer' })
  key: string;

  @TextField({ minLength: 1, maxLength: LONGEST, example: 'acme-17' })
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
    description: 'The user, as traces and logs are found by `user_id`.',
    example: 'user-4711',
  })
  user_id?: string;

  @TextField({
    optional: true,
    minLength: 1,
    maxLength: LONGEST,
    description: 'The session, as traces and logs are found by `conversation_id`.',
  })
  session_id?: string;

  @PairField('A pair of the metadata of traces and logs.')
  metadata?: MetadataPair;

  @BooleanField({
    optional: true,
    default: false,
    description: 'Count what would go; nothing is deleted.',
    example: true,
  })
  dry_run?: boolean;
}

export class ErasureBody {
  @UuidField()
  id: string;

  @EnumField(SUBJECT_TYPES, { description: 'What was given. Its value is not kept.' })
  subject_type: SubjectType;

  @BooleanField()
  dry_run: boolean;

  @EnumField(ERASURE_STATUSES)
  status: ErasureStatus;

  @IntegerField({ description: 'Percent.' })
  progress: number;

  @TextField({ nullable: true, description: 'What is being done; null while nothing is.' })
  step: string | null;

  @JsonObjectField({
    values: { type: 'integer' },
    description: 'How much was deleted, or would be, by kind. Kinds of which there was nothing are missing.',
    example: { traces: 12, spans: 80, request_logs: 31, rows: 4 },
  })
  counts: Counts;

  @TextField({ nullable: true })
  error_message: string | null;

  @IntegerField({ nullable: true, description: 'The API key that asked for it; null for the operator.' })
  created_by: number | null;

  @DateTimeField()
  created_at: string;

  @DateTimeField({ nullable: true })
  finished_at: string | null;

  @DateTimeField({ nullable: true, description: 'When everything was searched once more and nothing was found.' })
  verified_at: string | null;
}

export class ErasureResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => ErasureBody })
  erasure: ErasureBody;
}

export class ErasuresResponse extends ListEnvelope {
  @ApiProperty({ type: () => [ErasureBody] })
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
