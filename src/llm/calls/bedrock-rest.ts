import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { CredentialNeeds } from '../providers/model-providers.js';
import { awsHeaders } from './aws-signature.js';
import type { ModelConnection } from './connection.js';
import { at, postJson } from './post-json.js';

export const BEDROCK_CREDENTIAL: CredentialNeeds = {
  secret: 'An API key of Bedrock, or an access key as <id>:<secret>, with :<session token> behind it where it has one.',
  options: {
    region: { description: 'The region whose models are called, such as us-east-1.', required: true, inHost: true },
  },
};

/** Calls an action of a model, such as `converse`. */
export async function postToBedrock(
  connection: ModelConnection,
  { model, action, body }: { model: string; action: string; body: JsonObject },
): Promise<JsonValue> {
  const region = connection.options.region ?? '';
  const base = connection.baseUrl ?? `https://bedrock-runtime.${region}.amazonaws.com`;
  const url = new URL(at(base, `model/${encodeURIComponent(model)}/${action}`));
  const headers = await awsHeaders(connection.secret, region, { url, body: JSON.stringify(body) });
  return postJson(connection, url.href, { headers, body });
}
