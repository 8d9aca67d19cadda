import { type Origin, ORIGINS, toEnvironment } from '../../llm/records/origin.js';
import type { SpanSource } from '../../trace-conventions/index.js';

/** Resource attribute with the origin of its spans. Evaluations that run elsewhere can set it. */
export const ORIGIN_ATTRIBUTE = 'tracesheet.origin';
/** The current OpenTelemetry name, then the older one. */
const ENVIRONMENT_ATTRIBUTES = ['deployment.environment.name', 'deployment.environment'];

/** Facts about a span that its resource gives. */
export interface SourceFacts {
  origin: Origin;
  /** null where the resource names none. */
  environment: string | null;
}

/** Computed once for each source: many spans share one. */
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
