import { type FormEvent, type MouseEvent, useEffect, useRef, useState } from 'react';
import { api, ApiError } from '../api/client';
import { type Credentials, useSession, useSigning } from '../api/session';
import { counted } from '../ui/format';
import { Refused } from '../ui/parts';
import { mayLeave } from '../ui/unsaved';
import { ProviderLinks, useWays } from './providers';

/** The way of the last sign-in is offered first. */
const WAY = 'sign-in';
type Way = 'key' | 'password';

interface Props {
  /** The session has ended, and the screens wait behind this page. */
  isAgain?: boolean;
  /** Why the last attempt has failed. */
  problem?: string;
}

export function SignIn({ isAgain = false, problem }: Props) {
  const { signIn } = useSigning();
  const { data: ways } = useWays();
  const mayUsePassword = ways?.has_passwords ?? true;
  const [chosen, setWay] = useState<Way>(() => (localStorage.getItem(WAY) === 'password' ? 'password' : 'key'));
  const way = mayUsePassword ? chosen : 'key';
  const [error, setError] = useState<Error | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector('input')?.focus(), [way]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWaiting(true);
    setError(null);
    const text = (name: string) => String(new FormData(form.current!).get(name));
    const given: Credentials =
      way === 'key' ? { api_key: text('key').trim() } : { email: text('email').trim(), password: text('password') };
    localStorage.setItem(WAY, way);
    // On success the page is replaced.
    signIn(given, mayLeave).catch((reason: Error) => {
      const isUnknown = way === 'key' && reason instanceof ApiError && reason.status === 401;
      setError(isUnknown ? new Error('This key is not valid. Check that you have pasted all of it.') : reason);
      setWaiting(false);
      form.current?.querySelector('input')?.select();
    });
  };
  const change = (next: Way) => {
    setError(null);
    setWay(next);
  };

  const Page = isAgain ? 'div' : 'main';
  return (
    <Page className="sign-in">
      <form ref={form} onSubmit={submit}>
        <h1>Tracesheet</h1>
        {isAgain && (
          <p>
            Your session has ended. It has expired or was replaced in another tab. Sign in as before to continue: what
            you typed is still here.
          </p>
        )}
        <Problem text={problem} />
        <Providers isAgain={isAgain} />
        {way === 'key' ? <KeyField isWrong={error !== null} /> : <PasswordFields isWrong={error !== null} />}
        <button className="button primary" disabled={isWaiting}>
          Sign in
        </button>
        <Refused error={error} />
        <About way={way} />
        {way === 'password' && <Forgotten />}
        {mayUsePassword && (
          <button type="button" className="button quiet" onClick={() => change(way === 'key' ? 'password' : 'key')}>
            {way === 'key' ? 'Use e-mail and password' : 'Use an API key'}
          </button>
        )}
      </form>
    </Page>
  );
}

function Problem({ text }: { text: string | undefined }) {
  return (
    text !== undefined && (
      <p role="alert" className="bad">
        {text}
      </p>
    )
  );
}

function About({ way }: { way: Way }) {
  const idleMinutes = useWays().data?.session_idle_minutes;
  return (
    <p id="about-sign-in" className="quiet-text">
      {way === 'key'
        ? 'Your first key is printed at first start; admins can create more in Settings.'
        : 'Accounts are created by invitation. Ask an admin for a link if you have forgotten your password.'}{' '}
      {idleMinutes !== undefined && `You’ll be signed out after ${timeOf(idleMinutes)} of inactivity.`}
    </p>
  );
}

/** Asks for a link to set a new password, for the address in the form. */
function Forgotten() {
  const { data: ways } = useWays();
  const [sent, setSent] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const ask = (event: MouseEvent<HTMLButtonElement>) => {
    const field = event.currentTarget.form!.elements.namedItem('email') as HTMLInputElement;
    if (!field.reportValidity()) return;
    const email = field.value.trim();
    setError(null);
    api('POST /console/password/forgotten', { body: { email } }).then(() => setSent(email), setError);
  };
  if (!ways?.can_reset_password) return null;
  return (
    <>
      <Refused error={error} />
      {sent === null ? (
        <button type="button" className="button quiet" onClick={ask}>
          Forgot your password?
        </button>
      ) : (
        <p role="status">If there is an account for {sent}, a link is on its way to it. It works for 24 hours.</p>
      )}
    </>
  );
}

function timeOf(minutes: number): string {
  return minutes % 60 === 0 ? counted(minutes / 60, 'hour') : counted(minutes, 'minute');
}

/** While something unsaved waits behind this page, the sign-in happens in a tab of its own. */
function Providers({ isAgain }: { isAgain: boolean }) {
  const providers = useWays().data?.providers ?? [];
  const { resume } = useSigning();
  const { data: session } = useSession();
  useEffect(() => {
    if (!isAgain) return undefined;
    const comeBack = () => void resume(mayLeave);
    window.addEventListener('focus', comeBack);
    return () => window.removeEventListener('focus', comeBack);
  }, [isAgain, resume]);
  if (providers.length === 0) return null;
  return (
    <>
      <ProviderLinks providers={providers} inNewTab={isAgain} workspaceId={session?.workspace.id} />
      {isAgain && <p className="quiet-text">This opens a new tab. Sign in there, then come back to this one.</p>}
      <p className="quiet-text">or</p>
    </>
  );
}

function KeyField({ isWrong }: { isWrong: boolean }) {
  return (
    <>
      <label htmlFor="key">API key of your workspace</label>
      <input
        id="key"
        name="key"
        className="field mono"
        type="password"
        autoComplete="current-password"
        spellCheck={false}
        placeholder="pl_…"
        required
        aria-invalid={isWrong}
        aria-describedby="about-sign-in"
      />
    </>
  );
}

function PasswordFields({ isWrong }: { isWrong: boolean }) {
  return (
    <>
      <label htmlFor="email">E-mail address</label>
      <input
        id="email"
        name="email"
        className="field"
        type="email"
        autoComplete="username"
        required
        aria-invalid={isWrong}
      />
      <label htmlFor="password">Password</label>
      <input
        id="password"
        name="password"
        className="field"
        type="password"
        autoComplete="current-password"
        required
        aria-invalid={isWrong}
        aria-describedby="about-sign-in"
      />
    </>
  );
}
