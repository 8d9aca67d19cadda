import type { NormalizedSpan } from './span.js';
import { SpanAttributes } from './attributes.js';
import type { Reading, TraceConvention } from './convention.js';
import { Convention } from './conventions.js';
import { isAroundCalls } from './kind-marks.js';
import { parseJson } from '../llm/messages/json-text.js';
import { impliedModel, impliedUsage } from './payloads.js';
import { readRecognised } from './reading.js';

/** MLflow: a type, an input and an output, all as JSON. Only the request and the answer name the model. */
@Convention({
  name: 'mlflow',
  order: 70,
  senders: 'MLflow and Databricks',
  words: {
    usage: { objects: ['mlflow.chat.tokenUsage'] },
    cost: { objects: ['mlflow.llm.cost'] },
    provider: ['mlflow.llm.provider'],
    user: ['mlflow.trace.user'],
    conversation: ['mlflow.trace.session'],
    tools: [['mlflow.chat.tools']],
    marks: [{ key: 'mlflow.spanType', llm: /^(?:llm|chat_model)$/i, isOther: isAroundCalls }],
    values: { input: ['mlflow.spanInputs'], output: ['mlflow.spanOutputs'] },
  },
})
export class MlflowConvention implements TraceConvention {
  readonly name = 'mlflow';

  read(span: NormalizedSpan): Reading | null {
    const attributes = SpanAttributes.of(span);
    if (!attributes.has('mlflow.spanType')) return null;
    const answer = attributes.json('mlflow.spanOutputs');
    const implied = {
      ...impliedUsage(answer),
      ...impliedModel(attributes.json('mlflow.spanInputs'), answer),
      ...modelAttribute(attributes),
    };
    return readRecognised(span, attributes.withImplied(implied));
  }
}

/** A name in JSON, so in quotes. */
function modelAttribute(attributes: SpanAttributes): { 'gen_ai.request.model'?: string } {
  const given = attributes.text('mlflow.llm.model');
  if (given === null) return {};
  const parsed = parseJson(given);
  return { 'gen_ai.request.model': typeof parsed === 'string' ? parsed : given };
}
