import { useEffect, useMemo, useReducer } from 'react';

/** State outside of forms with changes that are not stored yet. */
interface Keeper {
  isUnsaved: () => boolean;
  /** Resolves when no save is in flight. */
  settled?: () => Promise<void>;
  /** The state survives another screen, and is lost only with the page. */
  isKept?: boolean;
}

/** A save that ends within this time needs no question. */
const GRACE_MS = 500;

const keepers = new Set<Keeper>();

/** Asks before the screen or the page is left while the keeper has changes. */
export function useUnsaved(keeper: Keeper): void {
  useEffect(() => {
    keepers.add(keeper);
    return () => void keepers.delete(keeper);
  }, [keeper]);
}

/** Whether somebody has typed into a form below an element since it was shown, or sent. */
export const isTyped = (root: ParentNode): boolean => root.querySelector('form[data-typed]') !== null;

export function markTyped(form: HTMLFormElement, isOn: boolean): void {
  if (isOn) form.dataset.typed = '';
  else delete form.dataset.typed;
}

const isUnsaved = (isLeavingPage: boolean): boolean =>
  isTyped(document) || [...keepers].some((each) => (isLeavingPage || !each.isKept) && each.isUnsaved());

let question: ((mayDiscard: boolean) => void) | null = null;
const listeners = new Set<() => void>();

/** The open question, with the function that answers it. */
export const currentQuestion = () => question;

export function watchQuestion(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Asks whether unsaved changes may be discarded. */
export function mayDiscard(): Promise<boolean> {
  question?.(false);
  return new Promise((resolve) => {
    const show = (next: typeof question) => {
      question = next;
      for (const listener of listeners) listener();
    };
    show((answer) => {
      show(null);
      resolve(answer);
    });
  });
}

/** Whether the screen may be left. Saves in flight get a moment, then the user is asked. */
export async function mayLeave(): Promise<boolean> {
  const settled = Promise.all([...keepers].map((keeper) => keeper.settled?.()));
  await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, GRACE_MS))]);
  return !isUnsaved(false) || mayDiscard();
}

const pathOf = (url: string): string => new URL(url, location.href).pathname;

/** For `aroundNav` of the router: navigates when no changes would be lost. */
export function leaveFor<T>(navigate: (to: string, options?: T) => void, to: string, options?: T): void {
  if (pathOf(to) === location.pathname || !isUnsaved(false)) return navigate(to, options);
  void mayLeave().then((may) => may && navigate(to, options));
}

/**
 * Guards exits that the router cannot: closing the page, and the browser's buttons. Called before the router exists.
 */
export function guardPage(): void {
  let here = location.href;
  let isAnswered = false;
  const note = () => {
    here = location.href;
  };
  window.addEventListener('pushState', note);
  window.addEventListener('replaceState', note);
  window.addEventListener('popstate', (event) => {
    // On the same screen only forms depend on the rest of the URL.
    const isLost = pathOf(here) === location.pathname ? isTyped(document) : isUnsaved(false);
    if (isAnswered || !isLost) {
      isAnswered = false;
      return note();
    }
    // The browser has already navigated: the screen is pushed again on top, and Back leads to the wanted page.
    event.stopImmediatePropagation();
    history.pushState(null, '', here);
    void mayLeave().then((may) => {
      isAnswered = may;
      if (may) history.back();
    });
  });
  window.addEventListener('beforeunload', (event) => {
    if (isUnsaved(true)) event.preventDefault();
  });
}

const kept = new Map<string, string>();

/** Drops the kept texts when another user signs in. */
export const forgetKept = (): void => kept.clear();

/** The text of a small field. It outlives the field: nothing is lost when its panel closes or shows another item. */
export function useKept(name: string): [text: string, set: (text: string) => void] {
  const [, redraw] = useReducer((drawn: number) => drawn + 1, 0);
  const keeper = useMemo(() => ({ isKept: true, isUnsaved: () => kept.has(name) }), [name]);
  useUnsaved(keeper);
  const set = (text: string) => {
    if (text === '') kept.delete(name);
    else kept.set(name, text);
    redraw();
  };
  return [kept.get(name) ?? '', set];
}
