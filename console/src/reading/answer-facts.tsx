import { Link } from 'wouter';
import type { RequestResponse } from '../api/schema.gen';
import { callsWith } from '../logs/links';
import { promptPath } from '../prompts/links';
import { count, dollars, duration } from '../ui/format';

/** Model, latency, tokens, cost, prompt and scores of an answer, in one line below it. */
export function AnswerFacts({ request }: { request: RequestResponse }) {
  const { prompt_id: prompt, prompt_name: name, prompt_version_number: version, scores } = request;
  const facts = [
    duration(request.latency_ms),
    `${count(request.input_tokens)} → ${count(request.output_tokens)} tokens`,
    dollars(request.priced ? request.price : null),
  ];
  return (
    <p className="answer-facts">
      <Link className="link" href={callsWith('engine', request.model)}>
        {request.model}
      </Link>
      {facts.map((fact) => ` · ${fact}`)}
      {prompt !== null && (
        <>
          {' · '}
          <Link className="link" href={promptPath(prompt)}>
            {version === null ? name : `${name} v${version}`}
          </Link>
        </>
      )}
      {scores.map(({ name: title, score }) => ` · ${title} ${score}`)}
    </p>
  );
}
