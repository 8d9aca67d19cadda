import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/client';
import { postForEvents } from '../api/event-stream';
import type { TrialResponse } from '../api/schema.gen';

/** An answer where a variant and a case meet. */
export interface Answer {
  state: 'waiting' | 'writing' | 'done' | 'failed' | 'stopped';
  text: string;
  /** The complete answer, once it has ended. */
  trial?: TrialResponse;
  error?: { code: string; message: string; requestId: number | null };
}

export interface Ask {
  /** Where the answer stands. */
  key: string;
  /** Makes the body; throws an Error with what has to be corrected. */
  body: () => object;
}

/** More wait in the browser, so that other requests of the console find a connection. */
const AT_ONCE = 4;

type Answers = Record<string, Answer>;

/** Asks models, and holds what they have answered so far. */
export function useTrials() {
  const [answers, setAnswers] = useState<Answers>({});
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);
  const change = (key: string, next: Partial<Answer>) =>
    setAnswers((all) => ({ ...all, [key]: { state: 'waiting', text: '', ...all[key], ...next } }));

  const one = async ({ key, body }: Ask, signal: AbortSignal) => {
    let text = '';
    const listen = (name: string, data: unknown) => {
      if (name === 'text') change(key, { state: 'writing', text: (text += (data as { text: string }).text) });
      if (name === 'end') change(key, { state: 'done', text, trial: data as TrialResponse });
      if (name === 'error') change(key, { state: 'failed', error: toError(data as FailedEvent) });
    };
    try {
      await postForEvents('/api/public/v2/trials', body(), listen, signal);
    } catch (error) {
      if (signal.aborted) return;
      const code = error instanceof ApiError ? error.code : '';
      change(key, { state: 'failed', error: { code, message: (error as Error).message, requestId: null } });
    }
    setAnswers((all) => (isOpen(all[key]) ? { ...all, [key]: { ...all[key]!, state: 'stopped' } } : all));
  };

  const run = async (asks: Ask[]) => {
    stop();
    const { signal } = (controller.current = new AbortController());
    setAnswers((all) => ({
      ...all,
      ...Object.fromEntries(asks.map(({ key }) => [key, { state: 'waiting', text: '' }])),
    }));
    const queue = [...asks];
    const work = async () => {
      for (let next = queue.shift(); next && !signal.aborted; next = queue.shift()) await one(next, signal);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  };

  /** Keeps the text that was written by then. */
  const stop = () => {
    controller.current?.abort();
    controller.current = null;
    setAnswers((all) =>
      Object.fromEntries(
        Object.entries(all).map(([key, answer]) => [key, isOpen(answer) ? { ...answer, state: 'stopped' } : answer]),
      ),
    );
  };

  const isRunning = Object.values(answers).some(isOpen);
  return { answers, isRunning, run, stop, clear: () => setAnswers({}) };
}

const isOpen = (answer: Answer | undefined): boolean => answer?.state === 'waiting' || answer?.state === 'writing';

interface FailedEvent {
  code: string;
  message: string;
  request_id: number | null;
}

const toError = ({ code, message, request_id: requestId }: FailedEvent) => ({ code, message, requestId });
