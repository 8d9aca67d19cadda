import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import type { RawPromptResponse } from '../api/schema.gen';
import { Labels } from '../versions/labels';

/** Which version applications get, by the labels of a prompt. */
export function PromptLabels({ prompt, onClose }: { prompt: RawPromptResponse; onClose: () => void }) {
  const { id, version } = prompt;
  const { data, error, refetch } = useQuery({
    queryKey: ['prompt-labels', id],
    queryFn: ({ signal }) =>
      api('GET /prompt-templates/{identifier}/labels', { path: { identifier: String(id) }, signal }),
  });
  const known = data?.release_labels;
  const idOf = (name: string) => known?.find((label) => label.release_label === name)?.release_label_id;
  const target = { prompt_version_number: version };
  const place = (name: string): Promise<unknown> => {
    const label = idOf(name);
    if (label === undefined) {
      return api('POST /prompts/{prompt_id}/label', { path: { prompt_id: id }, body: { name, ...target } });
    }
    return api('PATCH /prompt-labels/{prompt_label_id}', { path: { prompt_label_id: label }, body: target });
  };
  const remove = (name: string) =>
    api('DELETE /prompt-labels/{prompt_label_id}', { path: { prompt_label_id: idOf(name)! } });
  return (
    <Labels
      kind="prompt"
      id={String(id)}
      version={version}
      labels={known?.map(({ release_label: name, prompt_version_number: on }) => ({ name, on }))}
      error={error}
      onRetry={() => void refetch()}
      place={place}
      remove={remove}
      onClose={onClose}
    />
  );
}
