import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.regex.Pattern.CASE_INSENSITIVE;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The client of a mod in one file, which needs only JDK 17 or later. The client writes each catch to a queue on disk and
 * sends catches from this queue. Each catch is therefore stored exactly once, even if the game, the network or the service
 * fails. A mod creates one client, calls {@link #onChat} for each line of the chat, and calls {@link #close} at the end.
 * None of these calls waits for the network.
 *
 * <p>This file is also a program. The program reads the chat from its input, and exits when the input has ended and the
 * queue is empty:
 *
 * <pre>tail -n 0 -F ~/.minecraft/logs/latest.log | FISH_USER=Alex FISH_PASSWORD=secret java FishClient.java</pre>
 *
 * More environment variables: FISH_URL (http://127.0.0.1:8787), FISH_GAMEMODE (earth), FISH_API_KEY (lifts the rate
 * limit), FISH_QUEUE (fish-queue.txt; use one file per player). The password is in the environment because every process
 * on the machine can read an argument list.
 */
public final class FishClient implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final long FIRST_PAUSE_MS = 500;
    private static final long LAST_PAUSE_MS = 60_000;

    /** Matches only at the start of a message, because messages of other players start with a player's name. */
    private static final String PREFIX = "^(?:\\[[^\\[]*\\] \\[[^\\[]*\\]: (?:\\[System\\] )?\\[CHAT\\] )?";
    private static final String ARTICLE = " (?:an?|the|some) ";
    private static final Pattern FISH = Pattern.compile(
            PREFIX + "(?:(\\w+) CATCH|NEW ENTRY)! You(?:r Augments)? caught" + ARTICLE
                    + "(.+?)(?: with a length of .*| for the first time.*|[.!])$",
            CASE_INSENSITIVE);
    private static final Pattern CRAB = Pattern.compile(
            PREFIX + "(?:FISHING . You fished up|NIMBLE! You.ve hooked)" + ARTICLE + "(?:.* )?crab[.!]", CASE_INSENSITIVE);
    /** The index in these two lists is the rarity. An unknown rarity is 5. */
    private static final List<String> CATCH_WORDS = List.of("", "GOOD", "NICE", "GREAT", "EPIC", "", "LEGENDARY", "INSANE");
    private static final List<String> LABELS = List.of("", "BRONZE", "SILVER", "GOLD", "DIAMOND", "", "PLATINUM", "MYTHICAL");
    private static final int UNKNOWN = 5;

    private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private final SecureRandom random = new SecureRandom();
    private final Thread sender = new Thread(this::sendAll, "fish-sender");
    private final String url;
    private final String user;
    private final String password;
    private final String gamemode;
    private final String apiKey;
    private final Queue queue;
    private byte[] key;

    /** Opens the queue, and starts sending the catches that an earlier run did not send. */
    public FishClient(String url, String user, String password, String gamemode, String apiKey, Path queue)
            throws IOException {
        this.url = url;
        this.user = user;
        this.password = password;
        this.gamemode = gamemode;
        this.apiKey = apiKey;
        this.queue = new Queue(queue);
        sender.setDaemon(true);
        sender.start();
    }

    public static void main(String[] arguments) throws InterruptedException {
        try (FishClient client = new FishClient(
                setting("FISH_URL", "http://127.0.0.1:8787"),
                setting("FISH_USER", ""),
                setting("FISH_PASSWORD", ""),
                setting("FISH_GAMEMODE", "earth"),
                setting("FISH_API_KEY", ""),
                Path.of(setting("FISH_QUEUE", "fish-queue.txt")))) {
            BufferedReader chat = new BufferedReader(new InputStreamReader(System.in, UTF_8));
            for (String line = chat.readLine(); line != null; line = chat.readLine()) {
                if (client.onChat(line)) System.out.println("Queued: " + line);
            }
            if (!client.finish()) System.exit(1);
        } catch (IOException error) {
            System.err.println(error.getMessage());
            System.exit(1);
        }
    }

    /** Queues the catch that a line of the chat reports. Returns whether the line reports a catch. */
    public boolean onChat(String line) throws IOException {
        String text = line.replaceAll("\u00a7.", "").strip();
        Matcher fish = FISH.matcher(text);
        if (fish.find()) {
            String name = fish.group(2);
            String[] words = name.split(" ", 2);
            boolean isNew = fish.group(1) == null;
            int rarity = (isNew ? LABELS : CATCH_WORDS).indexOf((isNew ? words[0] : fish.group(1)).toUpperCase());
            boolean hasLabel = isNew && rarity > 0 && words.length > 1;
            addFish(hasLabel ? words[1] : name, rarity > 0 && (hasLabel || !isNew) ? rarity : UNKNOWN);
            return true;
        }
        if (!CRAB.matcher(text).find()) return false;
        addCrab();
        return true;
    }

    /**
     * Queues a fish. Returns when the fish is on disk.
     *
     * @param rarity 1 Bronze, 2 Silver, 3 Gold, 4 Diamond, 5 other, 6 Platinum, 7 Mythical
     * @throws IOException if the fish cannot be written to the disk
     */
    public void addFish(String name, int rarity) throws IOException {
        String escaped = name.replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\p{Cntrl}", " ");
        add("fish", "{\"fish\":\"" + escaped + "\",\"rarity\":" + rarity + "}");
    }

    /** Queues a crab, like {@link #addFish}. */
    public void addCrab() throws IOException {
        add("crab", "{\"fish\":\"crab\"}");
    }

    private void add(String kind, String payload) throws IOException {
        byte[] iv = new byte[16];
        random.nextBytes(iv);
        String id = Base64.getUrlEncoder().withoutPadding().encodeToString(iv);
        queue.add(new Catch(id, Instant.now().getEpochSecond(), kind, gamemode, payload));
    }

    /** Waits until the queue is empty or the service rejects the player. Returns whether the queue is empty. */
    public boolean finish() throws InterruptedException {
        queue.end();
        sender.join();
        return queue.first() == null;
    }

    /** Stops sending. The next client that opens the queue sends the remaining catches. */
    @Override
    public void close() throws IOException {
        sender.interrupt();
        try {
            sender.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        queue.close();
    }

    private void sendAll() {
        try {
            for (Catch next = queue.first(); next != null; next = queue.first()) {
                deliver(next);
                queue.remove(next);
            }
        } catch (InterruptedException closed) {
            // The remaining catches stay in the queue.
        } catch (IOException error) {
            System.err.println(error.getMessage() + " The catches stay in the queue until the next start.");
        }
    }

    /** Sends a catch until the service stores it or rejects it permanently, so that a retry would not help. */
    private void deliver(Catch caught) throws IOException, InterruptedException {
        if (key == null) key = fetchKey();
        for (;;) {
            HttpRequest.Builder request = request("/post/" + caught.kind + "?name=" + URLEncoder.encode(user, UTF_8))
                    .header("Content-Type", "application/octet-stream")
                    .header("x-gamemode", caught.gamemode)
                    .POST(HttpRequest.BodyPublishers.ofString(encrypt(caught)));
            HttpResponse<String> response = send(request.build(), "id");
            String body = response.body();
            if (response.statusCode() < 300) {
                System.out.println(response.statusCode() + " " + field(body, "message") + ", id " + field(body, "id"));
                return;
            }
            if (field(body, "code").equals("invalid_token") && renewKey()) continue;
            String reason = response.statusCode() + " " + field(body, "code") + ": " + field(body, "error");
            // The catch is not the problem: the player is unknown or is not allowed to post.
            if (List.of(401, 403, 404).contains(response.statusCode())) throw new IOException(reason);
            System.err.println("Dropped " + caught.payload + " in " + caught.gamemode + ": " + reason);
            return;
        }
    }

    private HttpRequest.Builder request(String pathAndQuery) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + pathAndQuery));
        return apiKey.isEmpty() ? request : request.header("x-api-key", apiKey);
    }

    private byte[] fetchKey() throws IOException, InterruptedException {
        String credentials = Base64.getEncoder().encodeToString((user + ":" + password).getBytes(UTF_8));
        HttpRequest.Builder request = request("/get/user/key").header("Authorization", "Basic " + credentials);
        HttpResponse<String> response = send(request.build(), "fernetKey");
        if (response.statusCode() < 300) return Base64.getDecoder().decode(field(response.body(), "fernetKey"));
        throw new IOException(response.statusCode() + " " + field(response.body(), "code") + ": " + field(response.body(), "error"));
    }

    /** Fetches the key again, since an administrator may have reset it. Returns whether the key has changed. */
    private boolean renewKey() throws IOException, InterruptedException {
        byte[] old = key;
        key = fetchKey();
        return !Arrays.equals(old, key);
    }

    /**
     * Repeats a request until the service accepts or rejects it. If no response arrives, the service may have accepted the
     * request. A retry with the same bytes is safe, because the service stores a token only once. A response without the
     * expected field or an error code is not from the service, but from a proxy or the login page of a network.
     */
    private HttpResponse<String> send(HttpRequest request, String expectedField) throws InterruptedException {
        for (long pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LAST_PAUSE_MS)) {
            long wait = pause + ThreadLocalRandom.current().nextLong(pause / 2);
            String problem;
            try {
                HttpResponse<String> response = exchange(request);
                int status = response.statusCode();
                boolean isFinal = status < 500 && status != 429 && status != 408;
                String needed = status < 300 ? expectedField : "code";
                if (isFinal && !field(response.body(), needed).isEmpty()) return response;
                String retryAfter = response.headers().firstValue("Retry-After").orElse("");
                if (retryAfter.matches("\\d{1,5}")) wait = 1000 * Long.parseLong(retryAfter);
                problem = isFinal ? status + ", not from the service" : status + " " + field(response.body(), "error");
            } catch (IOException noResponse) {
                problem = "No response from " + url;
            }
            System.err.println(problem + " (trying again in " + wait / 1000.0 + " s)");
            Thread.sleep(wait);
        }
    }

    /** Sends a request with a timeout that includes the body. The timeout of HttpRequest ends at the response's headers. */
    private HttpResponse<String> exchange(HttpRequest request) throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<String>> response = http.sendAsync(request, BodyHandlers.ofString());
        try {
            return response.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException error) {
            throw new IOException(error);
        } finally {
            response.cancel(true);
        }
    }

    /** Fernet (github.com/fernet/spec): the first half of the key signs, the second half encrypts. */
    private String encrypt(Catch caught) {
        try {
            byte[] iv = Base64.getUrlDecoder().decode(caught.id);
            Cipher cipher = Cipher.getInstance("AES/CBC/PKCS5Padding");
            cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, 16, 16, "AES"), new IvParameterSpec(iv));
            byte[] ciphertext = cipher.doFinal(caught.payload.getBytes(UTF_8));

            ByteBuffer token = ByteBuffer.allocate(1 + 8 + 16 + ciphertext.length + 32);
            token.put((byte) 0x80).putLong(caught.seconds).put(iv).put(ciphertext);
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, 0, 16, "HmacSHA256"));
            mac.update(token.array(), 0, token.position());
            token.put(mac.doFinal());
            return Base64.getUrlEncoder().withoutPadding().encodeToString(token.array());
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible); // Every JDK has these algorithms.
        }
    }

    /** Finds a string field in JSON, because the JDK has no JSON parser. In a mod, use Gson. */
    private static String field(String json, String name) {
        Matcher match = Pattern.compile("\"" + name + "\"\\s*:\\s*\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(json);
        return match.find() ? match.group(1) : "";
    }

    private static String setting(String name, String fallback) {
        String value = System.getenv(name);
        return value == null || value.isEmpty() ? fallback : value;
    }

    /** @param id the initialization vector of the token, which is the same for every retry, since id and time are stored */
    private record Catch(String id, long seconds, String kind, String gamemode, String payload) {
        String toLine() {
            return String.join(" ", "+", id, Long.toString(seconds), kind, gamemode, payload);
        }

        static Catch ofLine(String line) {
            String[] parts = line.split(" ", 6);
            return new Catch(parts[1], Long.parseLong(parts[2]), parts[3], parts[4], parts[5]);
        }
    }

    /** The queue: a file with a line for each queued catch, and a line with the id of each finished catch. */
    private static final class Queue {
        private final RandomAccessFile file;
        private final Map<String, Catch> pending = new LinkedHashMap<>();
        private boolean ending;

        Queue(Path path) throws IOException {
            // RandomAccessFile stays open if the thread is interrupted. A FileChannel would be closed.
            file = new RandomAccessFile(path.toFile(), "rw");
            if (file.getChannel().tryLock() == null) throw new IOException(path + " is in use by another process.");
            byte[] bytes = new byte[(int) file.length()];
            file.readFully(bytes);
            int end = bytes.length;
            while (end > 0 && bytes[end - 1] != '\n') end--; // A kill can leave half a line.
            file.setLength(end);
            for (String line : new String(bytes, 0, end, UTF_8).split("\n")) {
                if (line.startsWith("+ ")) {
                    Catch caught = Catch.ofLine(line);
                    pending.put(caught.id, caught);
                } else if (line.startsWith("- ")) pending.remove(line.substring(2));
            }
        }

        synchronized void add(Catch caught) throws IOException {
            long end = file.length();
            try {
                append(caught.toLine());
                file.getFD().sync();
            } catch (IOException error) {
                file.setLength(end);
                throw error;
            }
            pending.put(caught.id, caught);
            notifyAll();
        }

        /** Waits for a catch and returns the oldest. Returns {@code null} if the queue is empty after {@link #end}. */
        synchronized Catch first() throws InterruptedException {
            while (pending.isEmpty() && !ending) wait();
            return pending.isEmpty() ? null : pending.values().iterator().next();
        }

        /** Needs no sync. If the line is lost, the client sends the token again, and the service recognizes the token. */
        synchronized void remove(Catch caught) throws IOException {
            pending.remove(caught.id);
            if (pending.isEmpty()) file.setLength(0);
            else append("- " + caught.id);
        }

        synchronized void end() {
            ending = true;
            notifyAll();
        }

        synchronized void close() throws IOException {
            file.close();
        }

        private void append(String line) throws IOException {
            file.seek(file.length());
            file.write((line + "\n").getBytes(UTF_8));
        }
    }
}
