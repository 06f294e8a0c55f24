import java.nio.file.*;
import java.util.concurrent.*;
import java.util.stream.*;

public class Main {
  public static void main(String[] arguments) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(4);
    long sum = 0;
    for (Future<Long> part : pool.invokeAll(IntStream.range(0, 8)
             .mapToObj(n -> (Callable<Long>) () -> LongStream.range(0, 100_000).sum()).collect(Collectors.toList())))
      sum += part.get();
    pool.shutdown();
    Path file = Files.createTempFile("live", ".txt");
    Files.writeString(file, "text");
    String child = new String(new ProcessBuilder("sh", "-c", "echo child").start().getInputStream().readAllBytes());
    System.out.println(sum + " " + Files.readString(file) + " " + child.trim());
    Files.delete(file);
  }
}
