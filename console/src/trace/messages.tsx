import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import { Failure, Waiting } from '../ui/parts';
import { readMessages } from './read-messages';

/** What was said to a model and what it said, as text: nothing in it is markup, a link or an image. */
export function Messages({ requestId }: { requestId: number }) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['request', requestId],
    queryFn: ({ signal }) =>
      api('GET /api/public/v2/request/{request_id}', { path: { request_id: requestId }, signal }),
  });
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Waiting on={isFetching} />;
  return (
    <section className="messages" aria-label="Messages">
      {data.error_message && (
        <p dir="auto" className="bad text">
          {data.error_message}
        </p>
      )}
      {readMessages(data.prompt_blueprint.prompt_template).map(({ role, text }, index) => (
        // Two messages may have everything in common.
        <article key={index} className="box">
          <h3 className="quiet-text">{role}</h3>
          <pre dir="auto" className="text">
            {text}
          </pre>
        </article>
      ))}
    </section>
  );
}
