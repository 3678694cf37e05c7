/** What happens to a request that is not simply answered. Lanes bring it about as real networks do. */
export type Disturbance =
  /** The connection is reset before anything of the answer. */
  | { readonly kind: 'reset' }
  /** The connection ends after this share of the body, though `content-length` promised more. */
  | { readonly kind: 'cut-body'; readonly share: 0 | 0.5 }
  /** Nothing ever comes. */
  | { readonly kind: 'silence' }

/** What a world does with a request. */
export interface Outcome {
  /**
   * What is answered, whole or in part. Where nothing of it arrives (`reset`, `silence`) it is what would have been:
   * of a request that was carried out when an answer was to be lost, and else of one that was counted and refused.
   */
  readonly response: Response
  /** Milliseconds on the world's clock before it is answered, or disturbed. */
  readonly delayMs: number
  readonly disturbance?: Disturbance | undefined
}

/** Which way a request came. */
export type Lane = 'direct' | 'handlers' | 'intercepted' | 'standalone' | 'worker'

/** Answers requests, whichever way they come. A lane owns what is between its callers and this. */
export type AnswerRequest = (request: Request, lane: Lane) => Promise<Outcome>
