/** The part of the library that is used. It has no types of its own. */
declare module 'jstat' {
  interface Distribution {
    /** The value below which this share of the distribution lies. */
    inv(share: number, ...parameters: number[]): number;
  }

  const jstat: {
    normal: Distribution;
    studentt: Distribution;
    /** The regularised incomplete beta function of x, with the parameters a and b. */
    ibeta(x: number, a: number, b: number): number;
  };
  export default jstat;
}
