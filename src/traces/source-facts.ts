import { type Origin, ORIGINS, toEnvironment } from '../llm/records/origin.js';
import type { SpanSource } from './span.js';

/** The attribute of a resource that says who made its spans. Evaluations that run elsewhere can mark theirs with it. */
export const ORIGIN_ATTRIBUTE = 'tracesheet.origin';
/** The name of today's OpenTelemetry, then that of before. */
const ENVIRONMENT_ATTRIBUTES = ['deployment.environment.name', 'deployment.environment'];

/** What is known of spans by their resource. */
export interface SourceFacts {
  origin: Origin;
  /** null where the resource names none. */
  environment: string | null;
}

/** Spans share their sources, and each asks. */
const known = new WeakMap<SpanSource, SourceFacts>();

export function factsOfSource(source: SpanSource): SourceFacts {
  const found = known.get(source);
  if (found) return found;
  const facts = readFacts(source);
  known.set(source, facts);
  return facts;
}

function readFacts({ resource: { attributes } }: SpanSource): SourceFacts {
  const said = attributes[ORIGIN_ATTRIBUTE];
  const environments = ENVIRONMENT_ATTRIBUTES.map((name) => toEnvironment(attributes[name]));
  return {
    origin: ORIGINS.find((origin) => origin === said) ?? 'application',
    environment: environments.find((environment) => environment !== null) ?? null,
  };
}
