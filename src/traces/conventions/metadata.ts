import { setOwn, type JsonValue } from '../../platform/json.js';
import type { SpanAttributes } from './attributes.js';
import { toText, truncate } from '../../llm/messages/json-text.js';

const MAX_KEY = 1024;

const USER_KEYS = [
  'user.id',
  'enduser.id',
  'ai.telemetry.metadata.userId',
  'traceloop.association.properties.user_id',
  'langfuse.user.id',
  'llm.user',
  'gen_ai.request.user',
  'langfuse.trace.user_id',
  'mlflow.trace.user',
  'gen_ai.user',
];

const CONVERSATION_KEYS = [
  'gen_ai.conversation.id',
  'session.id',
  'ai.telemetry.metadata.sessionId',
  'traceloop.association.properties.session_id',
  'langsmith.trace.session_id',
  'langfuse.session.id',
  'langfuse.trace.session_id',
  'mlflow.trace.session',
  'gcp.vertex.agent.session_id',
  'genkit:sessionId',
  'openai_agents.group_id',
  'langsmith.metadata.session_id',
  'langsmith.metadata.thread_id',
];

/** What other conventions keep metadata under, the one that wins last. */
const FOREIGN_PREFIXES = [
  'langfuse.observation.metadata.',
  'langfuse.trace.metadata.',
  'openai_agents.metadata.',
  'metadata.',
  'ai.telemetry.metadata.',
  'traceloop.association.properties.',
  'langsmith.metadata.',
];

const OWN_PREFIX = 'promptlayer.metadata.';

/** The metadata of the log that a span becomes: each source below overrides the ones above it. */
export function readMetadata(attributes: SpanAttributes): Record<string, string> {
  const metadata: Record<string, string> = {};
  const put = (key: string, value: JsonValue): void => {
    if (value !== null && value !== '') setOwn(metadata, truncate(key, MAX_KEY), toText(value));
  };
  for (const prefix of FOREIGN_PREFIXES) {
    // The object form stands just before the one of single attributes.
    if (prefix === 'metadata.')
      for (const [key, value] of Object.entries(attributes.object('metadata'))) put(key, value);
    for (const [key, value] of attributes.below(prefix)) put(key, value);
  }
  put('user_id', attributes.firstText(USER_KEYS));
  put('conversation_id', attributes.firstText(CONVERSATION_KEYS));
  for (const [key, value] of attributes.below(OWN_PREFIX)) put(key, value);
  return metadata;
}
