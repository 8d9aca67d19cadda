export const skillPath = (id: string): string => `/skills/${id}`;
