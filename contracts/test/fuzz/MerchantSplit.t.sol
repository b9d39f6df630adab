// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {PaymentSplitter} from "@openzeppelin/contracts/finance/PaymentSplitter.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {MerchantSplit} from "../../src/MerchantSplit.sol";
import {SplitPayments} from "../../src/SplitPayments.sol";
import {AnyTotalFactory} from "../mocks/AnyTotalFactory.sol";
import {MoodyRecipient} from "../mocks/Recipients.sol";
import {Bench} from "../mocks/Bench.sol";
import {vm} from "../mocks/Vm.sol";

/// @dev Compares our split with OpenZeppelin's PaymentSplitter. Both have the same payees, shares and random
/// history, and must report the same figures after every step. Our `distribute` corresponds to their
/// `release` for each payee. Our split keeps one base unit. If their splitter would end up empty, one base
/// unit is therefore moved out while the last payee is paid.
contract MerchantSplitFuzz is Bench {
    uint256 private constant STEPS = 24;

    AnyTotalFactory private anyTotal = new AnyTotalFactory();
    MerchantSplit private ours;
    PaymentSplitter private theirs;
    address[] private payees;
    uint256 private random;
    uint256 private unitsKept;
    /// @dev At least half of the amounts are multiples of `granule`.
    uint256 private granule = 1;

    function testFuzz_equalsOpenZeppelinsAfterEveryStep(uint256 seed) external {
        random = seed;
        makeBoth(within(next(), 1, 12));
        for (uint256 i; i < STEPS; ++i) {
            step();
            compare();
        }
        settleAll();
        compare();
    }

    function testFuzz_equalsOpenZeppelinsWhereNoDustIsLeft(uint256 seed) external {
        random = seed;
        granule = 5 * 5 * 4 * 3;
        makeBoth(within(next(), 1, 3));
        for (uint256 i; i < STEPS; ++i) {
            step();
            compare();
        }
        settleAll();
        compare();
    }

    function test_aUnitIsKeptInSuchHistories() external {
        granule = 27_720;
        random = 5;
        makeBoth(1);
        for (uint256 i; i < 8; ++i) {
            depositToken();
            distributeToken();
            compare();
        }
        vm.assertEq(unitsKept, 8, "each time");
    }

    function testFuzz_aDistributionPaysEachItsPartOfAllThatCame(uint96[4] calldata amounts, uint16 share) external {
        uint32 bps = uint32(within(share, 1, 9_999));
        (address[] memory recipients, uint32[] memory all) = two(person("a"), person("b"));
        (all[0], all[1]) = (bps, 10_000 - bps);
        MerchantSplit split = splitOf(recipients, all);
        uint256 total;
        for (uint256 i; i < amounts.length; ++i) {
            give(address(split), amounts[i]);
            total += amounts[i];
            split.distribute(ETH);
            vm.assertEq(recipients[0].balance, total * bps / 10_000, "first");
            vm.assertEq(recipients[1].balance, total * (10_000 - bps) / 10_000, "second");
            vm.assertLe(address(split).balance, 1, "less than one base unit a payee stays");
        }
    }

    function testFuzz_paymentsAreCountedByWhatArrived(uint96 held, uint96 amount) external {
        vm.assume(amount > 0);
        MerchantSplit split = splitOf(person("a"), person("b"));
        usdc.mint(address(split), held);
        usdc.mint(address(this), amount);
        usdc.approve(address(split), amount);
        vm.expectEmit(address(split));
        emit SplitPayments.Payment(REF, address(usdc), address(this), amount);
        split.payToken(address(usdc), amount, REF);
    }

    function makeBoth(uint256 count) private {
        uint32[] memory shares = new uint32[](count);
        uint256[] memory wideShares = new uint256[](count);
        bool areSmall = next() % 2 == 0;
        for (uint256 i; i < count; ++i) {
            payees.push(next() % 3 == 0 ? address(uint160(next())) : address(new MoodyRecipient()));
            shares[i] = uint32(within(next(), 1, areSmall ? 5 : 5_000));
            wideShares[i] = shares[i];
        }
        ours = MerchantSplit(anyTotal.make(payees, shares));
        theirs = new PaymentSplitter(payees, wideShares);
        vm.assertEq(ours.totalShares(), theirs.totalShares(), "totalShares");
        for (uint256 i; i < count; ++i) {
            vm.assertEq(ours.payee(i), theirs.payee(i), "payee");
            vm.assertEq(ours.shares(payees[i]), theirs.shares(payees[i]), "shares");
        }
    }

    function step() private {
        uint256 what = next() % 16;
        address payee = payees[next() % payees.length];
        if (what < 3) depositEth();
        else if (what < 6) depositToken();
        else if (what < 8) releaseEth(next() % 8 == 0 ? person("stranger") : payee);
        else if (what < 10) releaseToken(next() % 8 == 0 ? person("stranger") : payee);
        else if (what < 12) distributeEth();
        else if (what < 14) distributeToken();
        else if (what < 15) changeMood(payee);
        else takeBack();
    }

    function depositEth() private {
        uint256 amount = someAmount();
        give(address(ours), amount);
        give(address(theirs), amount);
    }

    function depositToken() private {
        uint256 amount = someAmount();
        usdt.mint(address(ours), amount);
        usdt.mint(address(theirs), amount);
    }

    function releaseEth(address payee) private {
        sameOutcome(abi.encodeWithSignature("release(address)", payee));
    }

    function releaseToken(address payee) private {
        sameOutcome(abi.encodeWithSignature("release(address,address)", usdt, payee));
    }

    function distributeEth() private {
        ours.distribute(ETH);
        for (uint256 i; i < payees.length; ++i) {
            (bool done,) = address(theirs).call(abi.encodeWithSignature("release(address)", payees[i]));
            done;
        }
    }

    function distributeToken() private {
        ours.distribute(address(usdt));
        uint256 last = payees.length - 1;
        for (uint256 i; i < last; ++i) {
            releaseTheirs(payees[i]);
        }
        if (!wouldEmptyTheirs(payees[last])) return releaseTheirs(payees[last]);
        ++unitsKept;
        vm.prank(address(theirs));
        usdt.transfer(person("sink"), 1);
        releaseTheirs(payees[last]);
        usdt.mint(address(theirs), 1);
    }

    function releaseTheirs(address payee) private {
        (bool done,) = address(theirs).call(abi.encodeWithSignature("release(address,address)", usdt, payee));
        done;
    }

    /// @dev Returns whether every other payee has exactly its part and the part of `payee` is the whole
    /// balance.
    function wouldEmptyTheirs(address payee) private view returns (bool) {
        for (uint256 i; i < payees.length; ++i) {
            try theirs.releasable(IERC20(address(usdt)), payees[i]) returns (uint256 due) {
                if (payees[i] == payee ? due == 0 || due != usdt.balanceOf(address(theirs)) : due != 0) return false;
            } catch {
                return false;
            }
        }
        return true;
    }

    function changeMood(address payee) private {
        if (payee.code.length > 0) MoodyRecipient(payable(payee)).setRefuses(next() % 2 == 0);
        usdt.setBlocked(payee, next() % 2 == 0);
    }

    /// @dev Simulates a token that takes money back. Both splitters then compute a lower total received.
    function takeBack() private {
        uint256 held = usdt.balanceOf(address(ours));
        uint256 amount = within(next(), 0, held / 4);
        vm.prank(address(ours));
        usdt.transfer(person("sink"), amount);
        vm.prank(address(theirs));
        usdt.transfer(person("sink"), amount);
    }

    function settleAll() private {
        for (uint256 i; i < payees.length; ++i) {
            if (payees[i].code.length > 0) MoodyRecipient(payable(payees[i])).setRefuses(false);
            usdt.setBlocked(payees[i], false);
        }
        distributeEth();
        distributeToken();
        for (uint256 i; i < payees.length; ++i) {
            vm.assertEq(ours.releasable(payees[i]), 0, "all ETH claimed");
        }
        vm.assertLe(address(ours).balance, payees.length - 1, "but less than one wei a payee");
    }

    function compare() private {
        vm.assertEq(address(ours).balance, address(theirs).balance, "ETH held");
        vm.assertEq(usdt.balanceOf(address(ours)), usdt.balanceOf(address(theirs)), "tokens held");
        vm.assertEq(ours.totalReleased(), theirs.totalReleased(), "totalReleased of ETH");
        IERC20 token = IERC20(address(usdt));
        vm.assertEq(ours.totalReleased(token), theirs.totalReleased(token), "totalReleased of the token");
        for (uint256 i; i < payees.length; ++i) {
            address payee = payees[i];
            vm.assertEq(ours.released(payee), theirs.released(payee), "released ETH");
            vm.assertEq(ours.released(token, payee), theirs.released(token, payee), "released tokens");
            sameOutcome(abi.encodeWithSignature("releasable(address)", payee));
            sameOutcome(abi.encodeWithSignature("releasable(address,address)", token, payee));
        }
    }

    function sameOutcome(bytes memory data) private {
        (bool oursDone, bytes memory oursAnswer) = address(ours).call(data);
        (bool theirsDone, bytes memory theirsAnswer) = address(theirs).call(data);
        vm.assertTrue(oursDone == theirsDone, "both go through, or neither");
        vm.assertEq(oursAnswer, theirsAnswer, "with the same answer");
    }

    /// @dev Returns an amount from dust to 2^100, with each magnitude equally likely.
    function someAmount() private returns (uint256) {
        uint256 amount = next() % (uint256(1) << within(next(), 0, 100));
        return next() % 2 == 0 ? amount * granule : amount;
    }

    function next() private returns (uint256) {
        random = uint256(keccak256(abi.encode(random)));
        return random;
    }
}
