# The only entry points that a newcomer needs. Each does whatever is missing before it.

.DEFAULT_GOAL := help
.PHONY: help setup build demo test test-gpu bench lint format clean

help: ## show this list
	@echo "Point-PNG for ROS 2"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "Options: JOBS=N, Torch_DIR=… (your own LibTorch), POINTPNG_SKIP_APT=1 (no system packages)"

setup: ## install the system packages and the Python environment that are missing
	@setup/system.sh
	@setup/python.sh
	@setup/ros.sh

build: setup ## build the library, the command line and the ROS 2 packages into install/
	@setup/build.sh
	@setup/build_ros.sh

demo: ## align two clouds at once, then train a tiny model, then track an object with ROS 2; write demo/
	@setup/system.sh
	@setup/first_alignment.sh demo
	@$(MAKE) --no-print-directory build
	@install/bin/pointpng demo --out demo
	@setup/demo_ros.sh demo

test: build ## everything that must hold: tests in C++ and Python, format, stage order
	@setup/system.sh tests
	@TARGETS=pointpng_tests setup/build.sh
	@tests/run.sh

test-gpu: build ## what needs a GPU: its kernels against the CPU's loops; skipped with a sentence where there is none
	@ONLY=pointpng_gpu_tests setup/build.sh
	@$$(find $(or $(BUILD_DIR),build/core) -name pointpng_gpu_tests -type f)

bench: setup ## measure the speed, beside what others do on this machine
	@setup/build.sh -DPOINTPNG_BUILD_BENCHMARKS=ON
	@bench/run

lint: build ## format, JavaScript and CSS; clang-tidy of what has changed (ALL=1: of everything)
	@tests/lint/format.sh
	@.venv/bin/python tests/lint/tidy.py $(if $(ALL),--all)

format: setup ## rewrite C++, JavaScript and CSS in the project's format
	@tests/lint/format.sh --fix

clean: ## remove what was built; .venv and the packages stay
	@rm -rf build install demo .setup/tidy
