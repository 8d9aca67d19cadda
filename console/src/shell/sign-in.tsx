import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/client';
import { useSigning } from '../api/session';
import { Refused } from '../ui/parts';
import { mayLeave } from '../ui/unsaved';

/** `isAgain`: the session has ended, and the screens wait behind this page. */
export function SignIn({ isAgain = false }: { isAgain?: boolean }) {
  const { signIn } = useSigning();
  const [key, setKey] = useState('');
  const [error, setError] = useState<Error | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWaiting(true);
    setError(null);
    // When it succeeds this page is gone.
    signIn(key.trim(), mayLeave).catch((reason: Error) => {
      const isUnknown = reason instanceof ApiError && reason.status === 401;
      setError(isUnknown ? new Error('This key is not valid. Check that you have pasted all of it.') : reason);
      setWaiting(false);
      field.current?.select();
    });
  };

  const Page = isAgain ? 'div' : 'main';
  return (
    <Page className="sign-in">
      <form onSubmit={submit}>
        <h1>Tracesheet</h1>
        {isAgain && <p>Your session has ended. Sign in with the same key to continue: what you typed is still here.</p>}
        <label htmlFor="key">API key of your workspace</label>
        <input
          id="key"
          ref={field}
          className="field mono"
          type="password"
          autoComplete="current-password"
          spellCheck={false}
          placeholder="pl_…"
          value={key}
          onChange={(event) => setKey(event.target.value)}
          aria-invalid={error !== null}
          aria-describedby="about-key"
        />
        <button className="button primary" disabled={isWaiting || key.trim() === ''}>
          Sign in
        </button>
        <Refused error={error} />
        <p id="about-key" className="quiet-text">
          The first start of the server shows a key once; whoever has an admin key creates further ones in the settings.
          Your key is exchanged for a cookie that ends after twelve hours without use.
        </p>
      </form>
    </Page>
  );
}
