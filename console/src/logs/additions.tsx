import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api/client';
import type { RequestResponse } from '../api/schema.gen';

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
  const [score, setScore] = useState('');
  const [name, setName] = useState('');
  const refresh = useRefreshed(id);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => {
      const body = { request_id: id, score: Number(score), name: name.trim() || 'default' };
      return api('POST /rest/track-score', { body });
    },
    onSuccess: () => {
      setScore('');
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
        aria-label="Name of the score"
        placeholder="default"
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <button className="button" disabled={isPending}>
        Score
      </button>
      {error && <Refused error={error} />}
    </form>
  );
}

const submitting = (act: () => void) => (event: FormEvent) => {
  event.preventDefault();
  act();
};

/** What was typed stays. */
function Refused({ error }: { error: Error }) {
  return (
    <p role="alert" className="bad">
      {error.message}
    </p>
  );
}

/** Asks again for a call that was changed, and for the lists that it is in. */
function useRefreshed(id: number): () => Promise<unknown> {
  const queries = useQueryClient();
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ['request', id] }),
      queries.invalidateQueries({ queryKey: ['logs'] }),
    ]);
}
