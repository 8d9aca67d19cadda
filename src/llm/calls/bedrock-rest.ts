import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { CredentialNeeds } from '../providers/model-providers.js';
import { awsHeaders } from './aws-signature.js';
import type { ModelConnection, StreamItem } from './connection.js';
import { FRAMES_TYPE } from './event-frames.js';
import { at, postForStream, postJson, type PostedJson } from './post-json.js';

export const BEDROCK_CREDENTIAL: CredentialNeeds = {
  secret: 'An API key of Bedrock, or an access key as <id>:<secret>, with :<session token> behind it where it has one.',
  options: {
    region: { description: 'The region whose models are called, such as us-east-1.', required: true, inHost: true },
  },
};

/** An action of a model, such as `converse`. */
interface BedrockAction {
  model: string;
  action: string;
  body: JsonObject;
}

export async function postToBedrock(connection: ModelConnection, action: BedrockAction): Promise<JsonValue> {
  const { url, posted } = await signed(connection, action);
  return postJson(connection, url, posted);
}

/** The same for an action whose answer is streamed. */
export async function streamFromBedrock(
  connection: ModelConnection,
  action: BedrockAction,
): Promise<AsyncIterable<StreamItem>> {
  const { url, posted } = await signed(connection, action);
  return postForStream(connection, url, { ...posted, headers: { ...posted.headers, accept: FRAMES_TYPE } });
}

async function signed(
  connection: ModelConnection,
  { model, action, body }: BedrockAction,
): Promise<{ url: string; posted: PostedJson }> {
  const region = connection.options.region ?? '';
  const base = connection.baseUrl ?? `https://bedrock-runtime.${region}.amazonaws.com`;
  const url = new URL(at(base, `model/${encodeURIComponent(model)}/${action}`));
  const headers = await awsHeaders(connection.secret, region, { url, body: JSON.stringify(body) });
  return { url: url.href, posted: { headers, body } };
}
