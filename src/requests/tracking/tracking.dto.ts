import { EXAMPLE_PROMPT } from '../../platform/example-data.js';
import { ApiProperty } from '@nestjs/swagger';
import * as is from 'class-validator';
import { BodyKeyField } from '../../access/index.js';
import { field } from '../../platform/http/field.js';
import {
  IntegerField,
  IntegerOrDigitsField,
  JsonObjectField,
  ListField,
  TextField,
} from '../../platform/http/fields.js';
import type { JsonObject } from '../../platform/json.js';
import { METADATA_KEY_LENGTH, METADATA_MOST_KEYS } from '../../llm/records/metadata.js';
import { DEFAULT_SCORE, SCORE_NAME_LENGTH } from '../../llm/records/logged-call.js';

const RequestIdField = () => IntegerOrDigitsField({ min: 1, description: 'The request log.', example: 1 });

/** Metadata with keys that are not too long and not too many; its values may be any JSON. */
function MetadataField(): PropertyDecorator {
  const validate = (value: unknown) =>
    Object.keys(value ?? {}).every(
      (key) => key.length <= METADATA_KEY_LENGTH || [...key].length <= METADATA_KEY_LENGTH,
    );
  const message = `Keys should have at most ${METADATA_KEY_LENGTH} characters`;
  const isFew = (value: unknown) => Object.keys(value ?? {}).length <= METADATA_MOST_KEYS;
  const many = `Input should have at most ${METADATA_MOST_KEYS} keys`;
  return field(
    {
      description: 'Merged into what the log has. Values that are no text are kept as JSON text; null is ignored.',
      example: { user_id: '7', plan: 'pro' },
    },
    {
      validators: [
        is.IsObject({ message: 'Input should be a valid dictionary', context: { type: 'dict_type' } }),
        is.ValidateBy({ name: 'keys', validator: { validate } }, { message, context: { type: 'string_too_long' } }),
        is.ValidateBy(
          { name: 'few', validator: { validate: isFew } },
          { message: many, context: { type: 'too_long' } },
        ),
      ],
      schema: {
        type: 'object',
        maxProperties: METADATA_MOST_KEYS,
        additionalProperties: true,
        propertyNames: { maxLength: METADATA_KEY_LENGTH },
      } as object,
    },
  );
}

export class TrackMetadataRequest {
  @RequestIdField()
  request_id: number;

  @MetadataField()
  metadata: JsonObject;
}

export class TrackScoreRequest {
  @RequestIdField()
  request_id: number;

  @IntegerField({ min: 0, max: 100, example: 90 })
  score: number;

  @TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: SCORE_NAME_LENGTH,
    default: DEFAULT_SCORE,
    description: 'Replaces a score that has the same name.',
    example: 'helpfulness',
  })
  name?: string | null;
}

const TagsField = (description: string) =>
  ListField('string', { optional: true, nullable: true, maxItems: 100, description });

export class TrackTagsRequest {
  @RequestIdField()
  request_id: number;

  @TagsField('Tags that the log has from now on, also when its span is sent again.')
  add?: string[] | null;

  @TagsField('Tags that it has no more. What is in both lists is removed.')
  remove?: string[] | null;
}

export class TrackPromptRequest {
  @RequestIdField()
  request_id: number;

  @TextField({ minLength: 1, maxLength: 512, example: EXAMPLE_PROMPT })
  prompt_name: string;

  @JsonObjectField({
    optional: true,
    nullable: true,
    description: 'Replaces the input variables of the log. When it is not given, they stay.',
    example: { question: 'May I get a refund?', documents: 'Refunds are possible for 30 days.' },
  })
  prompt_input_variables?: JsonObject | null;

  @IntegerOrDigitsField({ optional: true, nullable: true, min: 1, description: 'The newest version by default.' })
  version?: number | null;

  @TextField({ optional: true, nullable: true, maxLength: 255, description: 'A release label, instead of `version`.' })
  label?: string | null;
}

export class TrackGroupRequest {
  @RequestIdField()
  request_id: number;

  @IntegerOrDigitsField({ min: 1, description: 'The id that POST /create-group has answered.', example: 1 })
  group_id: number;
}

export class LegacyTrackMetadataRequest extends TrackMetadataRequest {
  @BodyKeyField()
  api_key?: string | null;
}

export class LegacyTrackScoreRequest extends TrackScoreRequest {
  @BodyKeyField()
  api_key?: string | null;
}

export class LegacyTrackPromptRequest extends TrackPromptRequest {
  @BodyKeyField()
  api_key?: string | null;
}

export class LegacyTrackGroupRequest extends TrackGroupRequest {
  @BodyKeyField()
  api_key?: string | null;
}

export class CreateGroupRequest {
  @BodyKeyField()
  api_key?: string | null;
}

export class SuccessResponse {
  @ApiProperty({ example: true })
  success: true;
}

export class TrackedResponse extends SuccessResponse {
  @ApiProperty({ example: 'Metadata tracked successfully' })
  message: string;
}

export class TrackedTagsResponse extends TrackedResponse {
  @ListField('string', { description: 'All tags of the log.' })
  tags: string[];
}

export class CreateGroupResponse extends SuccessResponse {
  @IntegerField({ description: 'The group.' })
  id: number;
}
