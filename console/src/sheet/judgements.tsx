import { count } from '../ui/format';

/** The answer of a judge to one question. */
export interface Judgement {
  value: boolean;
  reasoning: string;
  /** The passage of the source that decides it. */
  citation?: string;
  /** Answers of every repetition; missing when the question was asked once. */
  judgements?: boolean[];
}

/** Judgements by question. Empty for a value with anything else in it. */
export function judgementsOf(value: unknown): [question: string, Judgement][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const entries = Object.entries(value);
  return entries.every((entry): entry is [string, Judgement] => isJudgement(entry[1])) ? entries : [];
}

function isJudgement(value: unknown): value is Judgement {
  if (typeof value !== 'object' || value === null) return false;
  const { value: said, reasoning, citation = '', judgements = [] } = value as Partial<Judgement>;
  const isText = typeof reasoning === 'string' && typeof citation === 'string';
  return typeof said === 'boolean' && isText && Array.isArray(judgements);
}

/** Every question with its answer, the reasoning, and the passage that decided it. */
export function Judgements({ judgements }: { judgements: [string, Judgement][] }) {
  return judgements.map(([question, judgement]) => (
    <section key={question} className="judgement box">
      <h3>
        {`${judgement.value ? '✓ yes' : '✗ no'} · `}
        <bdi>{question}</bdi>
      </h3>
      <p dir="auto" className="text">
        {judgement.reasoning}
      </p>
      {judgement.citation && (
        <blockquote dir="auto" className="text">
          {judgement.citation}
        </blockquote>
      )}
      {judgement.judgements && <p className="quiet-text">{votes(judgement.judgements)}</p>}
    </section>
  ));
}

function votes(judgements: boolean[]): string {
  return `${count(judgements.filter(Boolean).length)} of ${count(judgements.length)} answers said yes.`;
}
