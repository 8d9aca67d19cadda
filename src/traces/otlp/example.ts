import type { JsonObject } from '../../platform/json.js';

const text = (key: string, stringValue: string): JsonObject => ({ key, value: { stringValue } });
const count = (key: string, intValue: number): JsonObject => ({ key, value: { intValue } });
const said = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);

/** One chat call in OTLP/JSON, for the API document. */
export const OTLP_EXAMPLE: JsonObject = {
  resourceSpans: [
    {
      resource: { attributes: [text('service.name', 'support-bot')] },
      scopeSpans: [
        {
          scope: { name: 'example' },
          spans: [
            {
              traceId: '5b8efff798038103d269b633813fc60c',
              spanId: 'eee19b7ec3c1b174',
              name: 'chat gpt-4o-mini',
              kind: 3,
              startTimeUnixNano: '1780000000000000000',
              endTimeUnixNano: '1780000001250000000',
              attributes: [
                text('gen_ai.operation.name', 'chat'),
                text('gen_ai.provider.name', 'openai'),
                text('gen_ai.request.model', 'gpt-4o-mini'),
                text('gen_ai.input.messages', said('user', 'May I get a refund?')),
                text('gen_ai.output.messages', said('assistant', 'Yes, within 30 days.')),
                count('gen_ai.usage.input_tokens', 12),
                count('gen_ai.usage.output_tokens', 7),
              ],
            },
          ],
        },
      ],
    },
  ],
};
