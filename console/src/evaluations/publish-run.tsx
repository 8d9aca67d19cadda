import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { GridRowsResponse, PromptTemplate, SideBySideRunBody } from '../api/schema.gen';
import { PublishVariant } from '../playground/publish-variant';
import { toVariant } from '../playground/variant';
import { CloseButton, Dialog } from '../ui/dialog';
import { Failure, Waiting } from '../ui/parts';

interface Config {
  inline_template?: { prompt_template: PromptTemplate; metadata?: { model?: never } | null } | null;
  template?: { name: string } | null;
}

/** Publishes what a run has asked, as it was when it was scored, as a version of a prompt. */
export function PublishRun({ run, onClose }: { run: SideBySideRunBody; onClose: () => void }) {
  const { table_id, sheet_id, version } = run;
  const output = run.columns.find(({ role, type }) => role === 'output' && type === 'PROMPT_TEMPLATE');
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['evaluation-runs', 'prompt', run.calculation_id],
    queryFn: async ({ signal }) => {
      const query = { view: 'grid' as const, limit: 1, include_columns: true, version: String(version) };
      const answer = await api('GET /api/public/v2/tables/{table_id}/sheets/{sheet_id}/rows', {
        path: { table_id, sheet_id },
        query,
        signal,
      });
      const column = (answer as GridRowsResponse).columns?.find(({ id }) => id === output?.id);
      return (column?.config ?? {}) as Config;
    },
  });
  if (data?.inline_template) {
    const { prompt_template: template, metadata } = data.inline_template;
    return <PublishVariant variant={toVariant(template, metadata?.model ?? null)} onClose={onClose} />;
  }
  return (
    <Dialog label="Publish the prompt" className="form-dialog" onClose={onClose}>
      <h1>Publish the prompt</h1>
      <Waiting on={isFetching} />
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.template && (
        <p>
          {'This run used a prompt that is already published: '}
          <Link className="link" href={`/prompts?q=${encodeURIComponent(data.template.name)}`}>
            {data.template.name}
          </Link>
          {'. Move a release label to its version there.'}
        </p>
      )}
      <CloseButton onClose={onClose} />
    </Dialog>
  );
}
