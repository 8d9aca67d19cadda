import { useEffect, useRef, useSyncExternalStore } from 'react';
import { api, ApiError } from './client';

/** A change in the workspace that the server announces: the kind of item, and its id. */
export interface Change {
  /** `everything` after the connection broke: changes may have been missed. */
  kind: 'everything' | 'spans' | 'requests' | 'sheet' | 'operation' | 'export';
  id?: string;
  version?: number;
  count?: number;
}

const CHANNEL = 'workspace:changes';
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
/** Until the server has said how often it pings. */
const FIRST_SILENCE_MS = 30_000;
/** Statuses worth another try. After any other refusal the console polls, as it does without a connection. */
const PASSING = [0, 429, 502, 503, 504];

interface Frame {
  id?: number;
  /** Answer to `connect`: seconds between the pings of the server. */
  connect?: { ping?: number };
  error?: { message: string };
  push?: { pub?: { data?: { data?: { changes?: Change[] } } } };
}

/** The console's only connection for changes. It speaks the JSON protocol of the live channel. */
class Live {
  isOpen = false;
  private readonly followers = new Set<(changes: Change[]) => void>();
  private readonly watchers = new Set<() => void>();
  private socket: WebSocket | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Ends a connection that is silent: a dead one is not always closed, such as after sleep. */
  private watchdog: ReturnType<typeof setTimeout> | undefined;
  private silenceMs = FIRST_SILENCE_MS;
  private waitMs = FIRST_WAIT_MS;
  /** Grows with each start and each end, so that what an earlier start has begun is dropped. */
  private generation = 0;
  /** The server begins every connection with `everything`, which is a change only after an earlier connection broke. */
  private wasOpen = false;

  start(): () => void {
    this.wasOpen = false;
    void this.connect(++this.generation);
    return () => {
      this.generation += 1;
      clearTimeout(this.timer);
      clearTimeout(this.watchdog);
      const { socket } = this;
      this.socket = null;
      this.setOpen(false);
      // Browsers log an error when a connection is closed before it is open.
      if (socket?.readyState === WebSocket.CONNECTING) socket.onopen = () => socket.close();
      else socket?.close();
    };
  }

  follow(follower: (changes: Change[]) => void): () => void {
    this.followers.add(follower);
    return () => void this.followers.delete(follower);
  }

  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  };

  private async connect(generation: number): Promise<void> {
    try {
      const { token_details: details } = await api('POST /ws-token-request-library', {
        query: { capability: CHANNEL },
      });
      if (generation === this.generation) this.open(details.token);
    } catch (error) {
      const mayPass = error instanceof ApiError && PASSING.includes(error.status);
      if (mayPass && generation === this.generation) this.connectLater();
    }
  }

  private open(token: string): void {
    const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/connection/websocket`);
    this.socket = socket;
    this.silenceMs = FIRST_SILENCE_MS;
    this.watchSilence(socket);
    socket.onopen = () => socket.send(JSON.stringify({ id: 1, connect: { token } }));
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      if (this.socket !== socket) return;
      this.watchSilence(socket);
      for (const line of data.split('\n')) this.hear(socket, JSON.parse(line) as Frame);
    };
    socket.onclose = () => this.lose(socket);
  }

  private watchSilence(socket: WebSocket): void {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => {
      // The browser reports a close only after an answer of the other side, which may never come.
      this.lose(socket);
      socket.close();
    }, this.silenceMs);
  }

  private lose(socket: WebSocket): void {
    if (this.socket !== socket) return;
    this.socket = null;
    clearTimeout(this.watchdog);
    this.setOpen(false);
    this.connectLater();
  }

  private hear(socket: WebSocket, { id, error, push, connect }: Frame): void {
    if (error) return socket.close();
    if (id === 1) return this.subscribe(socket, connect);
    if (id === 2) return this.setOpen(true);
    // An empty object is a ping.
    if (!push) return socket.send('{}');
    const changes = push.pub?.data?.data?.changes ?? [];
    const isFirst = !this.wasOpen && changes.some(({ kind }) => kind === 'everything');
    this.wasOpen = true;
    if (!isFirst) for (const follower of this.followers) follower(changes);
  }

  private subscribe(socket: WebSocket, { ping: seconds = 0 }: Frame['connect'] = {}): void {
    if (seconds > 0) this.silenceMs = 2 * seconds * 1000;
    this.watchSilence(socket);
    socket.send(JSON.stringify({ id: 2, subscribe: { channel: CHANNEL } }));
  }

  private connectLater(): void {
    const { generation } = this;
    this.timer = setTimeout(() => void this.connect(generation), this.waitMs);
    this.waitMs = Math.min(LONGEST_WAIT_MS, this.waitMs * 2);
  }

  private setOpen(isOpen: boolean): void {
    if (isOpen) this.waitMs = FIRST_WAIT_MS;
    this.isOpen = isOpen;
    for (const watcher of this.watchers) watcher();
  }
}

const live = new Live();

/** Keeps the connection open while somebody is signed in. */
export function useLiveConnection(isSignedIn: boolean): void {
  useEffect(() => (isSignedIn ? live.start() : undefined), [isSignedIn]);
}

/** Whether the live channel is connected. Without it, callers have to poll. */
export const useIsLive = (): boolean => useSyncExternalStore(live.watch, () => live.isOpen);

/** Calls `act` after changes that matter, at most once in `apartMs` milliseconds. */
export function useChanges(matters: (change: Change) => boolean, act: () => void, apartMs = 1000): void {
  const current = useRef({ matters, act });
  current.current = { matters, act };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = -Infinity;
    const run = () => {
      timer = undefined;
      last = performance.now();
      current.current.act();
    };
    const leave = live.follow((changes) => {
      const isNews = changes.some((change) => change.kind === 'everything' || current.current.matters(change));
      if (isNews) timer ??= setTimeout(run, Math.max(0, last + apartMs - performance.now()));
    });
    return () => {
      leave();
      clearTimeout(timer);
    };
  }, []);
}
