import { MessageField, SuccessField } from '../../platform/http/common-fields.js';
import { EXAMPLE_PROMPT } from '../../platform/example-data.js';
import * as is from 'class-validator';
import { BodyKeyField } from '../../platform/http/body-key.js';
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

const RequestIdField = () => IntegerOrDigitsField({ min: 1, description: 'The id of the request log.', example: 1 });

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
      description:
        'Metadata to merge into that of the log. Other values than texts are kept as JSON text; null is ignored.',
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

  @IntegerField({ min: 0, max: 100, description: 'The score, 0 to 100.', example: 90 })
  score: number;

  @TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: SCORE_NAME_LENGTH,
    default: DEFAULT_SCORE,
    description: 'The name of the score. A score with the same name is replaced.',
    example: 'helpfulness',
  })
  name?: string | null;
}

const TagsField = (description: string) =>
  ListField('string', { optional: true, nullable: true, maxItems: 100, description });

export class TrackTagsRequest {
  @RequestIdField()
  request_id: number;

  @TagsField('Tags to add. They stay even if the span of the log is sent again.')
  add?: string[] | null;

  @TagsField('Tags to remove. A tag in both lists is removed.')
  remove?: string[] | null;
}

export class TrackPromptRequest {
  @RequestIdField()
  request_id: number;

  @TextField({
    minLength: 1,
    maxLength: 512,
    description: 'The name of the prompt in the registry.',
    example: EXAMPLE_PROMPT,
  })
  prompt_name: string;

  @JsonObjectField({
    optional: true,
    nullable: true,
    description: 'Values of the variables, which replace those of the log. Without it they stay as they are.',
    example: { question: 'May I get a refund?', documents: 'Refunds are possible for 30 days.' },
  })
  prompt_input_variables?: JsonObject | null;

  @IntegerOrDigitsField({
    optional: true,
    nullable: true,
    min: 1,
    description: 'The number of a version. Default: the latest.',
  })
  version?: number | null;

  @TextField({ optional: true, nullable: true, maxLength: 255, description: 'A release label, in place of `version`.' })
  label?: string | null;
}

export class TrackGroupRequest {
  @RequestIdField()
  request_id: number;

  @IntegerOrDigitsField({ min: 1, description: 'The id of the group, from `POST /create-group`.', example: 1 })
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
  @SuccessField()
  success: true;
}

export class TrackedResponse extends SuccessResponse {
  @MessageField('Metadata tracked successfully')
  message: string;
}

export class TrackedTagsResponse extends TrackedResponse {
  @ListField('string', { description: 'All tags of the log after the request.' })
  tags: string[];
}

export class CreateGroupResponse extends SuccessResponse {
  @IntegerField({ description: 'The id of the new group.' })
  id: number;
}
