import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../api/client';
import { Failure, Waiting } from '../ui/parts';
import { AnswerFacts } from './answer-facts';
import { readConversation } from './blocks';
import { Conversation } from './conversation';
import { ModelSettings } from './model-settings';

interface Props {
  requestId: number;
  /** The facts of the call stand somewhere else already. */
  isInPanel?: boolean;
}

/** The messages of a request, with the tools and parameters of its model. */
export function Messages({ requestId, isInPanel = false }: Props) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['request', requestId],
    queryFn: ({ signal }) =>
      api('GET /api/public/v2/request/{request_id}', { path: { request_id: requestId }, signal }),
  });
  const template = data?.prompt_blueprint.prompt_template;
  const said = useMemo(() => readConversation(template), [template]);
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Waiting on={isFetching} />;
  return (
    <>
      {data.error_message && (
        <p dir="auto" className="bad text">
          {data.error_message}
        </p>
      )}
      <Conversation said={said}>{!isInPanel && <AnswerFacts request={data} />}</Conversation>
      <ModelSettings
        template={data.prompt_blueprint.prompt_template}
        parameters={data.prompt_blueprint.metadata?.model?.parameters ?? {}}
      />
    </>
  );
}
