import { rankOf, type Species } from '../data/summary.ts'

/** C major from C5 to C7, in hertz. */
const SCALE = [523.25, 659.25, 783.99, 1046.5, 1318.51, 1567.98, 1760, 2093] as const
const NOTE_S = 0.11
const DECAY_S = 0.5
const VOLUME = 0.12
/** Chimes that had to wait longer than this until the browser allowed sound are skipped. */
const PATIENCE_MS = 500

/** Returns the notes of a catch, in hertz. Rarer catches have more and higher notes. */
export function notesOf(species: Pick<Species, 'rarity'>): readonly number[] {
  return SCALE.slice(0, rankOf(species) + 2)
}

/** Plays the notes of catches. */
export interface Chime {
  play(species: Pick<Species, 'rarity'>): Promise<void>
  close(): void
}

/**
 * Opens the audio output. Browsers may forbid sound before the first click, but streaming software allows sound
 * immediately.
 */
export function openChime(): Chime {
  const audio = new AudioContext()
  return {
    async play(species) {
      const calledAt = performance.now()
      await audio.resume()
      if (performance.now() - calledAt < PATIENCE_MS) playNotes(audio, notesOf(species))
    },
    close: () => void audio.close(),
  }
}

function playNotes(audio: AudioContext, notes: readonly number[]): void {
  for (const [index, frequency] of notes.entries()) {
    const startAt = audio.currentTime + index * NOTE_S
    const oscillator = new OscillatorNode(audio, { type: 'triangle', frequency })
    const gain = new GainNode(audio, { gain: 0 })
    gain.gain.setValueAtTime(VOLUME, startAt)
    gain.gain.exponentialRampToValueAtTime(0.001, startAt + DECAY_S)
    oscillator.connect(gain).connect(audio.destination)
    oscillator.start(startAt)
    oscillator.stop(startAt + DECAY_S)
  }
}
