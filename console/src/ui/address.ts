import { useSearch } from 'wouter/use-browser-location';

/** The query of the URL. Unlike that of the router it is decoded once: a "%" in a value stays. */
export const useQueryOfUrl = (): URLSearchParams => new URLSearchParams(useSearch());

/** The text without percent-encoding; as it is where that is not valid. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The id at the end of the path. Reads the address, because the router decodes a "%" in an id twice. */
export const idInPath = (): string =>
  decoded(window.location.pathname.split('/').findLast((part) => part !== '') ?? '');
