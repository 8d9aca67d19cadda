import { z } from 'zod';
import { BodyKeyField } from '../platform/http/body-key.js';
import { MessageField, SuccessField } from '../platform/http/common-fields.js';
import {
  BooleanField,
  EnumField,
  IntegerField,
  JsonField,
  JsonObjectField,
  TextField,
} from '../platform/http/fields.js';
import { SchemaField } from '../platform/http/schema-field.js';
import { anyTime } from '../platform/http/any-time.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { LOGGED_BLUEPRINT } from '../llm/shared/logged-prompt.schema.js';
import { ERROR_TYPE_NAMES, type ErrorType, STATUSES } from '../llm/records/outcome.js';
import type { RequestStatus } from '../llm/records/llm-call.js';
import { LOGGED_CALL_DESCRIPTIONS, loggedCallFields } from '../llm/records/logged-call.js';
import { idText } from '../trace-conventions/index.js';
import type { TrackedCallFields } from './tracked-call.js';

const anyList = z.array(z.unknown());
const OPTIONAL = { optional: true, nullable: true } as const;

/** Schema of a field of logged calls, without optional and nullable, which the options of the field have. */
const schemaOf = (name: 'tags' | 'metadata'): z.ZodType => loggedCallFields[name].unwrap().unwrap() as z.ZodType;

/** The call itself. */
class TrackedFunctionRequest {
  @TextField({
    maxLength: 1024,
    description: 'The client function that was called.',
    example: 'openai.chat.completions.create',
  })
  function_name: string;

  @TextField({
    ...OPTIONAL,
    maxLength: 255,
    description: 'The provider that was called. By default it is read from `function_name`.',
    example: 'openai',
  })
  provider_type?: string | null;

  @SchemaField(anyTime, { description: LOGGED_CALL_DESCRIPTIONS.request_start_time, example: 1780000000.25 })
  request_start_time: number;

  @SchemaField(anyTime, { description: LOGGED_CALL_DESCRIPTIONS.request_end_time, example: 1780000001.5 })
  request_end_time: number;

  @SchemaField(anyList, { ...OPTIONAL, description: 'The positional arguments of the call.', example: [] })
  args?: JsonValue[] | null;

  @JsonObjectField({
    ...OPTIONAL,
    description: 'The keyword arguments, as the client takes them. Credentials in them are left out.',
    example: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Where is my parcel?' }] },
  })
  kwargs?: JsonObject | null;

  @JsonField({
    ...OPTIONAL,
    description: 'The result of the client: a response, the chunks of a stream, or an empty object if the call failed.',
    example: { choices: [{ message: { role: 'assistant', content: 'On its way.' } }] },
  })
  request_response?: JsonValue;

  @EnumField(STATUSES, {
    ...OPTIONAL,
    description: 'The outcome of the call. Default: `SUCCESS`, or the status that goes with `error_type`.',
  })
  status?: RequestStatus | null;

  @EnumField(ERROR_TYPE_NAMES, { ...OPTIONAL, description: 'The type of the error, as in `POST /log-request`.' })
  error_type?: ErrorType | null;

  @TextField({ ...OPTIONAL, description: 'The message of the error. The first 1,024 characters are kept.' })
  error_message?: string | null;
}

export class TrackRequestRequest extends TrackedFunctionRequest implements TrackedCallFields {
  @BodyKeyField()
  api_key?: string | null;

  @SchemaField(schemaOf('tags'), {
    ...OPTIONAL,
    description: LOGGED_CALL_DESCRIPTIONS.tags,
    example: ['support'],
  })
  tags?: string[] | null;

  @SchemaField(schemaOf('metadata'), {
    ...OPTIONAL,
    description: LOGGED_CALL_DESCRIPTIONS.metadata,
    example: { user_id: '7' },
  })
  metadata?: JsonObject | null;

  @IntegerField({ ...OPTIONAL, min: 1, description: 'The id of the prompt of the registry that was called.' })
  prompt_id?: number | null;

  @IntegerField({ ...OPTIONAL, min: 1, description: 'The version of the prompt. Default: the latest.' })
  prompt_version?: number | null;

  @JsonObjectField({
    ...OPTIONAL,
    description: LOGGED_CALL_DESCRIPTIONS.prompt_input_variables,
  })
  prompt_input_variables?: JsonObject | null;

  @IntegerField({ ...OPTIONAL, min: 1, description: 'The group to add the log to.' })
  group_id?: number | null;

  @SchemaField(idText, { ...OPTIONAL, description: 'The span that the call was made in; at most 800 bytes in UTF-8.' })
  span_id?: string | null;

  @BooleanField({ ...OPTIONAL, description: 'Whether to return `prompt_blueprint`.' })
  return_prompt_blueprint?: boolean | null;
}

export class TrackRequestResponse {
  @SuccessField()
  success: true;

  @IntegerField({ description: 'The id of the request log.' })
  request_id: number;

  @JsonObjectField({
    nullable: true,
    like: LOGGED_BLUEPRINT,
    description: 'The call as a prompt; null unless `return_prompt_blueprint` was true.',
  })
  prompt_blueprint: JsonObject | null;

  @MessageField('Request tracked successfully')
  message: string;
}
