package dev.weir;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.targetOwner;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;

/** The rooms, and which may see which. The README's drawing is a copy of {@link #rooms}. */
@AnalyzeClasses(packages = "dev.weir", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    private static final String[] ROOMS = {
        "dev.weir.mcp..",
        "dev.weir.limit..",
        "dev.weir.ban..",
        "dev.weir.auth..",
        "dev.weir.policy..",
        "dev.weir.gate..",
        "dev.weir.web..",
        "dev.weir.proxy..",
        "dev.weir.upstream..",
        "dev.weir.oauth..",
        "dev.weir.telemetry..",
        "dev.weir.admin..",
        "dev.weir.rest..",
        "dev.weir.console..",
        "dev.weir.store..",
        "dev.weir.redis..",
        "dev.weir.alert..",
        "dev.weir.log..",
        "dev.weir.settings..",
        "dev.weir.app..",
        "dev.weir.run.."
    };

    /** Those that may start threads and look at clocks; the log, which everybody writes to, is beneath all others. */
    private static final String[] ROOTS = {"dev.weir.app..", "dev.weir.run..", "dev.weir.log.."};

    @ArchTest
    static final ArchRule rooms = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("mcp")
            .definedBy("dev.weir.mcp..")
            .layer("limit")
            .definedBy("dev.weir.limit..")
            .layer("ban")
            .definedBy("dev.weir.ban..")
            .layer("auth")
            .definedBy("dev.weir.auth..")
            .layer("policy")
            .definedBy("dev.weir.policy..")
            .layer("gate")
            .definedBy("dev.weir.gate..")
            .layer("web")
            .definedBy("dev.weir.web..")
            .layer("proxy")
            .definedBy("dev.weir.proxy..")
            .layer("upstream")
            .definedBy("dev.weir.upstream..")
            .layer("oauth")
            .definedBy("dev.weir.oauth..")
            .layer("telemetry")
            .definedBy("dev.weir.telemetry..")
            .layer("admin")
            .definedBy("dev.weir.admin..")
            .layer("rest")
            .definedBy("dev.weir.rest..")
            .layer("console")
            .definedBy("dev.weir.console..")
            .layer("store")
            .definedBy("dev.weir.store..")
            .layer("redis")
            .definedBy("dev.weir.redis..")
            .layer("alert")
            .definedBy("dev.weir.alert..")
            .layer("log")
            .definedBy("dev.weir.log..")
            .layer("settings")
            .definedBy("dev.weir.settings..")
            .layer("app")
            .definedBy("dev.weir.app..")
            .layer("run")
            .definedBy("dev.weir.run..")
            .whereLayer("mcp")
            .mayNotAccessAnyLayer()
            .whereLayer("limit")
            .mayNotAccessAnyLayer()
            .whereLayer("ban")
            .mayNotAccessAnyLayer()
            .whereLayer("auth")
            .mayNotAccessAnyLayer()
            .whereLayer("policy")
            .mayOnlyAccessLayers("limit", "ban", "auth")
            .whereLayer("gate")
            .mayOnlyAccessLayers("policy", "limit", "ban", "mcp", "auth")
            .whereLayer("web")
            .mayOnlyAccessLayers("gate", "auth", "mcp", "telemetry", "log")
            .whereLayer("proxy")
            .mayOnlyAccessLayers("mcp", "upstream", "telemetry")
            .whereLayer("upstream")
            .mayNotAccessAnyLayer()
            .whereLayer("telemetry")
            .mayOnlyAccessLayers("mcp")
            .whereLayer("oauth")
            .mayOnlyAccessLayers("auth")
            .whereLayer("admin")
            .mayOnlyAccessLayers("rest", "gate", "policy", "limit", "ban", "auth")
            .whereLayer("rest")
            .mayOnlyAccessLayers("auth")
            .whereLayer("console")
            .mayNotAccessAnyLayer()
            .whereLayer("store")
            .mayOnlyAccessLayers("policy", "limit", "ban", "auth")
            .whereLayer("redis")
            .mayOnlyAccessLayers("limit")
            .whereLayer("alert")
            .mayOnlyAccessLayers("ban")
            .whereLayer("log")
            .mayNotAccessAnyLayer()
            .whereLayer("settings")
            .mayOnlyAccessLayers("web", "policy", "limit", "auth", "alert", "log")
            .whereLayer("app")
            .mayOnlyBeAccessedByLayers("run")
            .whereLayer("settings")
            .mayOnlyBeAccessedByLayers("app", "run")
            .whereLayer("run")
            .mayNotBeAccessedByAnyLayer();

    @ArchTest
    static final ArchRule noCycles =
            slices().matching("dev.weir.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule everyClassIsInARoom = classes().should().resideInAnyPackage(ROOMS);

    @ArchTest
    static final ArchRule theCoreIsPlainJava = classes()
            .that()
            .resideInAnyPackage(
                    "dev.weir.limit..", "dev.weir.ban..", "dev.weir.auth..", "dev.weir.policy..", "dev.weir.gate..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.weir..",
                    "java.lang..",
                    "java.util",
                    "java.util.concurrent..",
                    "java.util.function",
                    "java.util.regex",
                    "java.util.stream",
                    "java.time..",
                    "java.math",
                    "java.net",
                    "java.nio.charset",
                    "java.security..",
                    "org.jspecify.annotations");

    @ArchTest
    static final ArchRule onlyMcpReadsJsonInTheCore = classes()
            .that()
            .resideInAPackage("dev.weir.mcp..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.weir.mcp..",
                    "java.lang..",
                    "java.util..",
                    "java.io",
                    "java.math",
                    "java.nio..",
                    "java.security",
                    "tools.jackson.core..",
                    "org.jspecify.annotations");

    @ArchTest
    static final ArchRule servletsAtTheEdge = noClasses()
            .that(not(resideInAnyPackage(
                    "dev.weir.web..",
                    "dev.weir.proxy..",
                    "dev.weir.admin..",
                    "dev.weir.rest..",
                    "dev.weir.console..",
                    "dev.weir.app..",
                    "dev.weir.run..")))
            .should()
            .dependOnClassesThat()
            .resideInAPackage("jakarta.servlet..");

    @ArchTest
    static final ArchRule sqlInTheStore = noClasses()
            .that(not(resideInAnyPackage("dev.weir.store..", "dev.weir.app..", "dev.weir.run..")))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.sql..", "javax.sql..", "org.flywaydb..", "org.jdbi..");

    @ArchTest
    static final ArchRule metricsAndTracesInTheirRoom = noClasses()
            .that(not(resideInAnyPackage("dev.weir.app..", "dev.weir.telemetry..")))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.micrometer..", "io.prometheus..", "io.opentelemetry..");

    @ArchTest
    static final ArchRule whatRunsBesideStaysBeside = noClasses()
            .that(not(resideInAPackage("dev.weir.run..")))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.modelcontextprotocol..", "org.eclipse.jetty.server..", "org.eclipse.jetty.ee10..", "picocli..");

    @ArchTest
    static final ArchRule clocksAreHandedIn = noClasses()
            .that(not(resideInAnyPackage(ROOTS)))
            .should()
            .accessTargetWhere(
                    targetOwner(equivalentTo(System.class)).and(target(nameMatching("nanoTime|currentTimeMillis"))))
            .orShould()
            .accessTargetWhere(
                    targetOwner(resideInAPackage("java.time")).and(target(nameMatching("now|system.*|tick.*"))));

    @ArchTest
    static final ArchRule threadsStartAtTheRoot = noClasses()
            .that(not(resideInAnyPackage(ROOTS)))
            .should()
            .dependOnClassesThat()
            .belongToAnyOf(Executors.class, ThreadPoolExecutor.class)
            .orShould()
            .callConstructorWhere(targetOwner(assignableTo(Thread.class)));

    @ArchTest
    static final ArchRule noStaticState = fields().that().areStatic().should().beFinal();
}
