import { type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { api } from '../api/client';
import type { RequestLogItem, RequestLogsAfterCursor, RequestResponse } from '../api/schema.gen';
import { Links } from '../sessions/named-links';
import { useMay } from '../shell/permissions';
import { Refused } from '../ui/parts';
import { useKept } from '../ui/unsaved';
import { callsWith } from './links';

/** The scores of a call, and another one. A score of the same name is replaced. */
export function Scores({ request }: { request: RequestResponse }) {
  return (
    <section className="section scores" aria-label="Scores">
      <h3>Scores</h3>
      {request.scores.length > 0 && (
        <ul>
          {request.scores.map(({ name, score }) => (
            <li key={name}>
              {name} <strong>{score}</strong>
            </li>
          ))}
        </ul>
      )}
      <ScoreForm id={request.request_id} />
    </section>
  );
}

function ScoreForm({ id }: { id: number }) {
  const [score, setScore] = useKept(`score of ${id}`);
  const [name, setName] = useKept(`name of the score of ${id}`);
  const refresh = useRefreshed(id);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => {
      const body = { request_id: id, score: Number(score), name: name.trim() || 'default' };
      return api('POST /rest/track-score', { body });
    },
    onSuccess: () => {
      setScore('');
      setName('');
      return refresh();
    },
  });
  return (
    <form onSubmit={submitting(mutate)}>
      <input
        className="field"
        aria-label="Score, 0 to 100"
        placeholder="0 to 100"
        type="number"
        min={0}
        max={100}
        step={1}
        required
        value={score}
        onChange={(event) => setScore(event.target.value)}
      />
      <input
        className="field"
        dir="auto"
        aria-label="Name of the score"
        placeholder="Name (default)"
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <button className="button" disabled={isPending}>
        Score
      </button>
      <Refused error={error} />
    </form>
  );
}

/** The tags of a call: each can be removed, and further ones added. */
export function Tags({ request }: { request: RequestResponse }) {
  const [tag, setTag] = useKept(`tag of ${request.request_id}`);
  const refresh = useRefreshed(request.request_id);
  const mayEdit = useMay('METADATA_EDIT');
  const { mutate, error, isPending } = useMutation({
    mutationFn: (changes: { add?: string[]; remove?: string[] }) =>
      api('POST /rest/track-tags', { body: { request_id: request.request_id, ...changes } }),
    onSuccess: (_, { add }) => {
      if (add) setTag('');
      return refresh();
    },
  });
  const title = mayEdit ? undefined : 'This needs the permission METADATA_EDIT.';
  return (
    <section className="section scores" aria-label="Tags">
      <h3>Tags</h3>
      <ul>
        {request.tags.map((known) => (
          <li key={known}>
            <Links items={[known]} to={(item) => callsWith('tags', item)} inList={false} />
            <button
              className="button quiet"
              aria-label={`Remove the tag ${known}`}
              disabled={!mayEdit || isPending}
              title={title}
              onClick={() => mutate({ remove: [known] })}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <form onSubmit={submitting(() => mutate({ add: [tag.trim()] }))}>
        <input
          className="field wide"
          dir="auto"
          aria-label="Tag"
          placeholder="A tag"
          maxLength={255}
          required
          pattern=".*\S.*"
          value={tag}
          onChange={(event) => setTag(event.target.value)}
        />
        <button className="button" disabled={!mayEdit || isPending} title={title}>
          Tag
        </button>
        <Refused error={error} />
      </form>
    </section>
  );
}

const submitting = (act: () => void) => (event: FormEvent) => {
  event.preventDefault();
  act();
};

/** Reads a call again that was changed. In lists only its line changes: the others stay where they are. */
function useRefreshed(id: number): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await queries.invalidateQueries({ queryKey: ['request', id] });
    const call = queries.getQueryData<RequestResponse>(['request', id]);
    if (!call) return;
    const changed = (item: RequestLogItem) =>
      item.id === id ? { ...item, tags_array: call.tags, scores: call.scores } : item;
    queries.setQueriesData<InfiniteData<RequestLogsAfterCursor>>(
      { queryKey: ['logs', 'list'] },
      (list) => list && { ...list, pages: list.pages.map((page) => ({ ...page, items: page.items.map(changed) })) },
    );
  };
}
